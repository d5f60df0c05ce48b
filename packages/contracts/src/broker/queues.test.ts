import type { EventDeclaration } from '../declarations/event.ts'
import { webhookCatalog } from '../messages/event-catalog.ts'
import { events } from '../messages/events.ts'
import { webhookAttemptEvents } from '../messages/messages-of-many.ts'
import { busNames } from './bus-names.ts'
import { exchanges, queues } from './queues.ts'

test('every event that a service consumes is routed to its queue, and to no other service', () => {
  for (const [name, { consumers }] of Object.entries(events as Record<string, EventDeclaration>)) {
    expect(queues['gateway.events'].bindings.includes(name)).toBe(consumers.includes('gateway'))
    expect(queues['checkout.events'].bindings.includes(name)).toBe(consumers.includes('checkout'))
    expect(queues['transactions.events'].bindings.includes(name)).toBe(consumers.includes('transactions'))
  }
})

test('the audit log receives every event, and the dispatcher only the webhook catalog without its own test event', () => {
  expect(queues['audit-log.events'].bindings).toEqual(['#'])
  expect(['webhook.test', ...queues['webhooks-dispatcher.events'].bindings].sort()).toEqual(
    Object.keys(webhookCatalog).sort(),
  )
})

test('events in messages of many have the publisher of their exchange, and no consumer but the audit log', () => {
  const declared: Record<string, EventDeclaration> = events
  const publisher = (name: string) => {
    const { webhook, consumers, publishers } = declared[name] as EventDeclaration
    expect([name, webhook, consumers]).toEqual([name, false, []])
    return publishers
  }
  expect(publisher('http.request')).toEqual([exchanges.calls.publisher])
  for (const name of webhookAttemptEvents) expect(publisher(name)).toEqual([exchanges['webhook-attempts'].publisher])
})

test('two namespaces share no queue or exchange names', () => {
  expect(busNames('a').queue('checkout.events')).toBe('a.checkout.events')
  expect(busNames('b').queue('checkout.events')).toBe('b.checkout.events')
})
