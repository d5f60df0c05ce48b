import type { ServiceName } from '../declarations/callers.ts'
import type { EventDeclaration } from '../declarations/event.ts'
import { commands } from '../messages/commands.ts'
import { feedEventNames } from '../messages/event-catalog.ts'
import { events } from '../messages/events.ts'
import { httpRequests, webhookAttempts } from '../messages/messages-of-many.ts'

/**
 * The exchanges. Those for messages of many events have one publisher each, because RabbitMQ
 * checks rights by routing key only on topic exchanges.
 */
export const exchanges = {
  events: { type: 'topic' },
  commands: { type: 'topic' },
  calls: { type: 'direct', publisher: 'gateway' },
  'webhook-attempts': { type: 'direct', publisher: 'webhooks-dispatcher' },
} as const satisfies Record<string, ExchangeDeclaration>

type ExchangeDeclaration = { type: 'topic' } | { type: 'direct'; publisher: ServiceName }
export type ExchangeName = keyof typeof exchanges
export const exchangeNames = Object.keys(exchanges) as ExchangeName[]

/** A service's queue on one exchange, with its routing keys. */
export interface QueueDeclaration {
  service: ServiceName
  exchange: ExchangeName
  bindings: string[]
  /** Routing keys that an earlier release bound: RabbitMQ keeps a binding until it is removed. */
  unbound?: string[]
}

const consumedBy = (service: string) =>
  Object.entries(events as Record<string, EventDeclaration>)
    .filter(([, event]) => (event.consumers as readonly string[]).includes(service))
    .map(([name]) => name)

/** Every queue of the system, by name without the namespace. Contracts determine the bindings. */
export const queues = {
  'checkout.events': { service: 'checkout', exchange: 'events', bindings: consumedBy('checkout') },
  'transactions.events': { service: 'transactions', exchange: 'events', bindings: consumedBy('transactions') },
  'transactions.commands': { service: 'transactions', exchange: 'commands', bindings: Object.keys(commands) },
  'gateway.events': { service: 'gateway', exchange: 'events', bindings: consumedBy('gateway') },
  'webhooks-dispatcher.events': {
    service: 'webhooks-dispatcher',
    exchange: 'events',
    bindings: feedEventNames,
    unbound: ['webhook.test'],
  },
  'audit-log.events': { service: 'audit-log', exchange: 'events', bindings: ['#'] },
  'audit-log.calls': { service: 'audit-log', exchange: 'calls', bindings: [httpRequests.name] },
  'audit-log.webhook-attempts': {
    service: 'audit-log',
    exchange: 'webhook-attempts',
    bindings: [webhookAttempts.name],
  },
} satisfies Record<string, QueueDeclaration>

export type QueueName = keyof typeof queues

export const queueNames = Object.keys(queues) as QueueName[]
