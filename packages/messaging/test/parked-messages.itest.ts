import type { Message } from '@cobro/contracts'
import { waitFor } from '@cobro/testing'
import { type ParkedMessage, throughParked } from '../src/parked-messages.ts'
import { bus } from './bus-of-each-test.ts'
import { someMessage } from './bus-under-test.ts'

const queue = 'checkout.events'

/** Parks messages as a consumer does. */
async function park(content: Message | string, headers: Record<string, unknown> = {}) {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  const messageId = typeof content === 'string' ? 'evt_unreadable' : content.id
  const parked = { 'x-attempt': 5, 'x-reason': 'the row does not fit', traceparent: 'kept', ...headers }
  bus.channel.publish(bus.names.exchange('parking'), bus.names.queue(queue), Buffer.from(text), {
    persistent: true,
    messageId,
    correlationId: 'corr_x',
    headers: parked,
  })
  await bus.channel.waitForConfirms()
}

const listed = async () => {
  const found: ParkedMessage[] = []
  await throughParked(bus, queue, message => void found.push(message) as never)
  return found
}

test('what is parked is shown with its reason and stays parked, however often one looks', async () => {
  const message = someMessage()
  await park(message)
  await park('{"id":', { 'x-attempt': undefined, 'x-reason': 'unreadable' })
  const { name, occurred_at, merchant_id, correlation_id } = message
  const expected = [
    {
      queue,
      id: message.id,
      name,
      occurred_at,
      merchant_id,
      correlation_id,
      attempts: 5,
      reason: 'the row does not fit',
    },
    {
      ...{ queue, id: 'evt_unreadable', name: null, occurred_at: null, merchant_id: null, correlation_id: null },
      ...{ attempts: 0, reason: 'unreadable' },
    },
  ]
  // More looks than RabbitMQ lets a message be refused.
  for (let look = 1; look <= 25; look++) expect(await listed()).toEqual(expected)
  const next = await bus.next(bus.names.parked(queue))
  expect(JSON.parse(next.content.toString())).toEqual(message)
  expect(next.properties).toMatchObject({ messageId: message.id, correlationId: 'corr_x', deliveryMode: 2 })
  expect(next.properties.headers).toMatchObject({
    'x-attempt': 5,
    'x-reason': 'the row does not fit',
    traceparent: 'kept',
  })
})

test('those that are chosen go back to their consumer as new, the others stay', async () => {
  const [chosen, other] = [someMessage(), someMessage()]
  await park(other)
  await park(chosen, { 'x-death': [{ reason: 'delivery_limit' }] })
  expect(await throughParked(bus, queue, ({ id }) => id === chosen.id)).toBe(1)
  expect((await listed()).map(({ id }) => id)).toEqual([other.id])

  const again = await bus.next(bus.names.queue(queue))
  expect(JSON.parse(again.content.toString())).toEqual(chosen)
  // The broker's own count of deliveries begins anew too.
  expect(again.properties.headers).toEqual({ traceparent: 'kept', 'x-delivery-count': 0 })
})

test('a message that went back is carried out', async () => {
  const message = someMessage()
  await park(message)
  const handled: string[] = []
  const consumer = await bus.consumer(queue, async ({ id }) => void handled.push(id))
  expect(await throughParked(bus, queue, () => true)).toBe(1)
  await waitFor(() => handled.length > 0)
  await consumer.stop()
  expect(handled).toEqual([message.id])
  expect(await bus.waiting(bus.names.parked(queue))).toBe(0)
})

test('nothing parked, nothing done', async () => {
  expect(await listed()).toEqual([])
})
