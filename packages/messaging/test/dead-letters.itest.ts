import type { Message } from '@cobro/contracts'
import { waitFor } from '@cobro/testing'
import { browseDeadLetters, type DeadLetter } from '../src/dead-letters.ts'
import { declareBus } from '../src/declare-bus.ts'
import { countMessages } from '../src/queue-metrics.ts'
import { bus, busOfEachTest } from './bus-of-each-test.ts'
import { someMessage } from './bus-under-test.ts'

busOfEachTest()

const queue = 'checkout.events'

/** Dead-letters a message as a consumer does. */
async function deadLetter(content: Message | string, headers: Record<string, unknown> = {}) {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  const messageId = typeof content === 'string' ? 'evt_unreadable' : content.id
  const failure = { 'x-attempt': 5, 'x-reason': 'the row does not fit', traceparent: 'kept', ...headers }
  bus.channel.publish(bus.names.deadLetterExchange, bus.names.queue(queue), Buffer.from(text), {
    persistent: true,
    messageId,
    correlationId: 'corr_x',
    headers: failure,
  })
  await bus.channel.waitForConfirms()
}

const listed = async () => {
  const found: DeadLetter[] = []
  await browseDeadLetters(bus, queue, message => {
    found.push(message)
    return 'keep'
  })
  return found
}

test('listing dead letters shows their reasons and leaves them in the queue, however often it is repeated', async () => {
  const message = someMessage()
  await deadLetter(message)
  await deadLetter('{"id":', { 'x-attempt': undefined, 'x-reason': 'unreadable' })
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
      suspicious: false,
    },
    {
      ...{ queue, id: 'evt_unreadable', name: null, occurred_at: null, merchant_id: null, correlation_id: null },
      ...{ attempts: 0, reason: 'unreadable', suspicious: false },
    },
  ]
  // RabbitMQ 4 drops a message that was rejected twenty times.
  for (let time = 1; time <= 25; time++) expect(await listed()).toEqual(expected)
  const next = await bus.next(bus.names.deadLetter(queue))
  expect(JSON.parse(next.content.toString())).toEqual(message)
  expect(next.properties).toMatchObject({ messageId: message.id, correlationId: 'corr_x', deliveryMode: 2 })
  expect(next.properties.headers).toMatchObject({
    'x-attempt': 5,
    'x-reason': 'the row does not fit',
    traceparent: 'kept',
  })
})

test('requeued dead letters lose their failure headers, and the others stay in the dead-letter queue', async () => {
  const [chosen, other] = [someMessage(), someMessage()]
  await deadLetter(other)
  await deadLetter(chosen, { 'x-death': [{ reason: 'delivery_limit' }] })
  expect(await browseDeadLetters(bus, queue, ({ id }) => (id === chosen.id ? 'requeue' : 'keep'))).toBe(1)
  expect((await listed()).map(({ id }) => id)).toEqual([other.id])

  const again = await bus.next(bus.names.queue(queue))
  expect(JSON.parse(again.content.toString())).toEqual(chosen)
  // The broker's own delivery count restarts too.
  expect(again.properties.headers).toEqual({ traceparent: 'kept', 'x-delivery-count': 0 })
})

test('a discarded dead letter is deleted after its content was read, and the others stay', async () => {
  const [chosen, other] = [someMessage(), someMessage()]
  await deadLetter(other)
  await deadLetter(chosen)
  const contents: unknown[] = []
  const discard = ({ id }: DeadLetter, content: Buffer) => {
    if (id !== chosen.id) return 'keep'
    contents.push(JSON.parse(content.toString()))
    return 'discard'
  }
  expect(await browseDeadLetters(bus, queue, discard)).toBe(1)
  expect(contents).toEqual([chosen])
  expect((await listed()).map(({ id }) => id)).toEqual([other.id])
  expect(await bus.waiting(bus.names.queue(queue))).toBe(0)
})

test('a dead letter stays in its queue if the command fails before it is discarded', async () => {
  await deadLetter(someMessage())
  await expect(browseDeadLetters(bus, queue, () => Promise.reject(new Error('the disk is full')))).rejects.toThrow()
  // The broker makes it ready again after it has closed the connection.
  await waitFor(async () => (await bus.waiting(bus.names.deadLetter(queue))) === 1)
  expect(await listed()).toHaveLength(1)
})

test('a dead letter that an interrupted move left twice is listed and requeued once', async () => {
  const [message, other] = [someMessage(), someMessage()]
  for (const content of [message, other, message]) await deadLetter(content)
  expect(await bus.waiting(bus.names.deadLetter(queue))).toBe(3)
  expect(await browseDeadLetters(bus, queue, ({ id }) => (id === message.id ? 'requeue' : 'keep'))).toBe(1)
  expect((await listed()).map(({ id }) => id)).toEqual([other.id])
  expect([await bus.waiting(bus.names.queue(queue)), await bus.waiting(bus.names.deadLetter(queue))]).toEqual([1, 1])
})

test('a requeued dead letter is handled by its consumer', async () => {
  const message = someMessage()
  await deadLetter(message)
  const handled: string[] = []
  const consumer = await bus.consumer(queue, async ({ id }) => void handled.push(id))
  expect(await browseDeadLetters(bus, queue, () => 'requeue')).toBe(1)
  await waitFor(() => handled.length > 0)
  await consumer.stop()
  expect(handled).toEqual([message.id])
  expect(await bus.waiting(bus.names.deadLetter(queue))).toBe(0)
})

test('a message whose name is not its routing key is not requeued, since its consumer would accept it then', async () => {
  const [forged, failed] = [someMessage('payment.approved'), someMessage()]
  const handled: string[] = []
  const consumer = await bus.consumer(queue, async ({ id }) => void handled.push(id))
  const body = Buffer.from(JSON.stringify(forged))
  bus.channel.publish(bus.names.exchange('events'), 'merchant.updated', body, { messageId: forged.id })
  await waitFor(async () => (await bus.waiting(bus.names.deadLetter(queue))) === 1)
  await deadLetter(failed)
  expect(await browseDeadLetters(bus, queue, () => 'requeue')).toBe(1)
  await waitFor(() => handled.length > 0)
  await consumer.stop()
  expect(handled).toEqual([failed.id])
  expect(await listed()).toMatchObject([{ id: forged.id, reason: 'its name is not its routing key', suspicious: true }])
})

test('a message that expired before its consumer saw it is not requeued, whatever reasons its sender gave', async () => {
  const forged = someMessage('payment.approved')
  const routed = { exchange: bus.names.exchange('events'), 'routing-keys': ['payment.approved'] }
  const deaths = ['expired', 'delivery_limit'].map(reason => ({
    reason,
    queue: bus.names.queue(queue),
    count: 0,
    ...routed,
  }))
  const headers = { 'x-reason': 'the row does not fit', 'x-death': deaths, 'x-first-death-reason': 'delivery_limit' }
  await bus.put(queue, forged, { expiration: '0', headers })
  await waitFor(async () => (await bus.waiting(bus.names.deadLetter(queue))) === 1)
  expect(await browseDeadLetters(bus, queue, () => 'requeue')).toBe(0)
  expect(await listed()).toMatchObject([{ id: forged.id, reason: 'expired', suspicious: true }])
})

describe('after a release that kept dead letters in queues of the former name', () => {
  const former = () => bus.names.formerDeadLetter(queue)
  /** Declares what a replica of that release declares whenever it connects. */
  const bindFormer = () => bus.channel.bindQueue(former(), bus.names.deadLetterExchange, bus.names.queue(queue))

  test('the migrate command moves old dead letters, with their reasons, to the queue that is listed and requeued', async () => {
    await bindFormer()
    await bus.channel.unbindQueue(bus.names.deadLetter(queue), bus.names.deadLetterExchange, bus.names.queue(queue))
    const messages = [someMessage(), someMessage(), someMessage()]
    for (const message of messages) await deadLetter(message)
    expect([await bus.waiting(former()), await bus.waiting(bus.names.deadLetter(queue))]).toEqual([3, 0])

    await Promise.all([declareBus(bus.url, bus.namespace), declareBus(bus.url, bus.namespace)])
    expect(await bus.waiting(former())).toBe(0)
    const found = await listed()
    expect(found.map(({ id }) => id).sort()).toEqual(messages.map(({ id }) => id).sort())
    expect(found[0]).toMatchObject({ attempts: 5, reason: 'the row does not fit' })
    expect(await browseDeadLetters(bus, queue, () => 'requeue')).toBe(3)
    expect(await bus.waiting(bus.names.queue(queue))).toBe(3)
  })

  test('dead letters of its replicas reach the new queue, also after such a replica has bound the old queue again', async () => {
    const messages = [someMessage(), someMessage(), someMessage()]
    const [before, during, after] = messages
    await deadLetter(before!)
    await bindFormer()
    await deadLetter(during!)
    expect(await listed()).toHaveLength(2)
    await declareBus(bus.url, bus.namespace)
    await deadLetter(after!)
    expect([await bus.waiting(former()), await bus.waiting(bus.names.deadLetter(queue))]).toEqual([0, 4])
    expect((await listed()).map(({ id }) => id).sort()).toEqual(messages.map(({ id }) => id).sort())
    expect(await browseDeadLetters(bus, queue, () => 'requeue')).toBe(3)
    expect([await bus.waiting(bus.names.queue(queue)), await bus.waiting(bus.names.deadLetter(queue))]).toEqual([3, 0])
  })

  test('the migrate command of another service leaves its dead letters and their binding as they are', async () => {
    await bindFormer()
    await bus.channel.unbindQueue(bus.names.deadLetter(queue), bus.names.deadLetterExchange, bus.names.queue(queue))
    await deadLetter(someMessage())
    await declareBus(bus.url, bus.namespace, ['transactions.events'])
    await deadLetter(someMessage())
    expect([await bus.waiting(former()), await bus.waiting(bus.names.deadLetter(queue))]).toEqual([2, 0])
  })
})

test('listing the dead letters of a service that was never migrated rejects with 404', async () => {
  await bus.channel.deleteQueue(bus.names.deadLetter(queue))
  await expect(listed()).rejects.toMatchObject({ code: 404 })
})

test('listing an empty dead-letter queue returns nothing', async () => {
  expect(await listed()).toEqual([])
})

test('the queue metric counts messages that are ready, wait for a retry, and are dead-lettered', async () => {
  for (let i = 0; i < 2; i++) await bus.put(queue, someMessage())
  for (let i = 0; i < 3; i++) await deadLetter(someMessage())
  const counts = await countMessages(bus.channel, bus.namespace, queue)
  const series = counts.map(({ value, attributes }) => [attributes?.queue, attributes?.state, value])
  expect(series).toEqual([
    [queue, 'ready', 2],
    [queue, 'retry', 0],
    [queue, 'dead_letter', 3],
  ])
})
