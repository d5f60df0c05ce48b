import type { Message } from '@cobro/contracts'
import { currentCall, timings } from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import { dispatch } from '../src/event-handlers.ts'
import { bus, busOfEachTest } from './bus-of-each-test.ts'
import { someMessage } from './bus-under-test.ts'

busOfEachTest()

const queue = 'checkout.events'

/** Waits until no message is ready or in flight, so that closing a connection redelivers none. */
async function expectSettled(stop: () => Promise<unknown>) {
  await stop()
  await waitFor(async () => (await bus.channel.checkQueue(bus.names.queue(queue))).consumerCount === 0)
  expect(await bus.waiting(bus.names.queue(queue))).toBe(0)
}

test.each([
  ['no JSON', '{"id":'],
  ['no message', '{"hello":"world"}'],
  ['a message without data', JSON.stringify({ ...someMessage(), data: undefined })],
])(
  'a message that cannot be parsed (%s) is dead-lettered at once, unchanged and with its reason',
  async (_what, content) => {
    const handled: Message[] = []
    const errors: unknown[][] = []
    const logger = Object.assign(Object.create(bus.logger), { error: (...line: unknown[]) => void errors.push(line) })
    const consumer = await bus.consumer(queue, async message => void handled.push(message), { logger })
    const id = await bus.put(queue, content, { correlationId: 'corr_x', headers: { kept: 'yes' } })
    const deadLetter = await bus.next(bus.names.deadLetter(queue))
    expect(deadLetter.content.toString()).toBe(content)
    expect(deadLetter.properties).toMatchObject({
      messageId: id,
      correlationId: 'corr_x',
      headers: { 'x-reason': 'unreadable', kept: 'yes' },
    })
    await expectSettled(consumer.stop)
    expect(handled).toEqual([])
    expect(errors).toEqual([
      [{ queue, message_id: id, correlation_id: 'corr_x' }, 'a message cannot be parsed and is dead-lettered'],
    ])
  },
)

test('a failing message is retried after a delay each time and dead-lettered after five attempts, while others are handled', async () => {
  const [poison, good] = [someMessage(), someMessage()]
  const tries: number[] = []
  const handled: string[] = []
  const consumer = await bus.consumer(queue, async message => {
    if (message.id !== poison.id) return void handled.push(message.id)
    tries.push(Date.now())
    throw new Error('the row does not fit')
  })
  await bus.put(queue, poison)
  await waitFor(() => tries.length === 1)
  await bus.put(queue, good)
  await waitFor(() => handled.length === 1)
  // The other message did not wait for the last attempt, four delays later.
  expect(tries.length).toBeLessThan(5)
  const deadLetter = await bus.next(bus.names.deadLetter(queue))
  expect(JSON.parse(deadLetter.content.toString())).toEqual(poison)
  expect(deadLetter.properties).toMatchObject({
    messageId: poison.id,
    headers: { 'x-attempt': 5, 'x-reason': 'Error: the row does not fit' },
  })
  const waits = tries.slice(1).map((at, index) => at - tries[index]!)
  expect(waits).toHaveLength(4)
  for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(timings.retry * 0.98)
  await expectSettled(consumer.stop)
})

test('while the database is unavailable a message in flight waits without using up attempts, and is handled once it is back', async () => {
  let away = false
  let pings = 0
  const handled: string[] = []
  const failures: string[] = []
  const consumer = await bus.consumer(
    queue,
    async message => {
      if (away) failures.push(message.id)
      if (away) throw new Error('database away')
      handled.push(message.id)
    },
    {
      isUnavailable: error => (error as Error).message === 'database away',
      ping: async () => {
        pings += 1
        if (away) throw new Error('database away')
      },
    },
  )
  await waitFor(() => pings > 0)
  away = true
  const message = someMessage()
  await bus.put(queue, message)
  await waitFor(() => failures.length === 1)
  const before = pings
  await waitFor(() => pings > before + 1)
  expect([failures, handled]).toEqual([[message.id], []])
  expect(await bus.waiting(bus.names.retry(queue))).toBe(0)
  away = false
  await waitFor(() => handled.length === 1)
  await expectSettled(consumer.stop)
  expect(await bus.waiting(bus.names.deadLetter(queue))).toBe(0)
})

test('while the database rejects writes, a message stays in flight and is retried no faster than the ping, and is not dead-lettered', async () => {
  let full = true
  const tries: number[] = []
  const consumer = await bus.consumer(
    queue,
    async () => {
      tries.push(Date.now())
      if (full) throw new Error('disk full')
    },
    { isUnavailable: error => (error as Error).message === 'disk full' },
  )
  await bus.put(queue, someMessage())
  await waitFor(() => tries.length === 4)
  expect(tries[3]! - tries[0]!).toBeGreaterThan(1_400)
  full = false
  await waitFor(() => tries.length === 5)
  await expectSettled(consumer.stop)
  expect(await bus.waiting(bus.names.retry(queue))).toBe(0)
})

test('a consumer whose database is unavailable at the start takes no messages until it responds', async () => {
  let away = true
  let pings = 0
  const handled: string[] = []
  await bus.consumer(queue, async message => void handled.push(message.id), {
    ping: async () => {
      pings += 1
      if (away) throw new Error('database away')
    },
  })
  const message = someMessage()
  await bus.put(queue, message)
  await waitFor(() => pings > 1)
  expect(await bus.waiting(bus.names.queue(queue))).toBe(1)
  away = false
  await waitFor(() => handled.length === 1)
})

test('an event that this release does not know is acknowledged and ignored', async () => {
  const known: unknown[] = []
  const handlers = { 'merchant.updated': async (merchant: unknown) => void known.push(merchant) }
  const consumer = await bus.consumer(queue, async message => void (await dispatch(handlers, message, undefined)))
  const merchant = { id: someMessage().id.replace('evt', 'mrc'), name: 'Café Azul', status: 'active', version: 2 }
  await bus.put(queue, someMessage('merchant.married', merchant))
  await bus.put(queue, someMessage('constructor', {}))
  await bus.put(queue, someMessage('merchant.updated', { ...merchant, added_later: true }))
  await waitFor(() => known.length === 1)
  expect(known).toEqual([merchant])
  await expectSettled(consumer.stop)
  expect(await bus.waiting(bus.names.retry(queue))).toBe(0)
  expect(await bus.waiting(bus.names.deadLetter(queue))).toBe(0)
})

test('a message is handled in the call context of the call that caused it', async () => {
  const calls: unknown[] = []
  await bus.consumer(queue, async () => void calls.push({ ...currentCall() }))
  const message = { ...someMessage(), merchant_id: 'mrc_1', actor: { type: 'key' as const, id: 'key_1' } }
  await bus.put(queue, message)
  await waitFor(() => calls.length === 1)
  const { request_id, correlation_id, merchant_id, actor } = message
  expect(calls).toEqual([{ request_id, correlation_id, merchant_id, actor }])
})

test('at most ten messages are in flight until the first one succeeds, then up to the prefetch of the consumer', async () => {
  const [first, others] = [bus.barrier(), bus.barrier()]
  const begun: string[] = []
  for (let i = 0; i < 70; i++) await bus.put(queue, someMessage())
  await bus.consumer(queue, async message => {
    begun.push(message.id)
    await (begun.length === 1 ? first.lifted : others.lifted)
  })
  const inFlight = async (count: number) => {
    // The broker counts a message as delivered before it arrives.
    await waitFor(() => begun.length >= count)
    expect(await bus.waiting(bus.names.queue(queue))).toBe(70 - count)
    expect(begun).toHaveLength(count)
  }
  await inFlight(10)
  first.lift()
  await inFlight(60)
  others.lift()
  await waitFor(() => begun.length === 70)
})

test('stopping a consumer finishes the messages in flight, takes no new ones and leaves none unacknowledged', async () => {
  const barrier = bus.barrier()
  const begun: string[] = []
  const handled: string[] = []
  const consumer = await bus.consumer(queue, async message => {
    begun.push(message.id)
    await barrier.lifted
    handled.push(message.id)
  })
  for (let i = 0; i < 3; i++) await bus.put(queue, someMessage())
  await waitFor(() => begun.length === 3)
  let stopped = false
  const stopping = consumer.stop().then(() => {
    stopped = true
  })
  // This message may cross the consumer's cancellation. Then it is delivered, and redelivered after the stop.
  await bus.put(queue, someMessage())
  await bus.waiting(bus.names.queue(queue))
  expect([stopped, handled]).toEqual([false, []])
  barrier.lift()
  await stopping
  expect(handled.sort()).toEqual(begun.sort())
  expect(begun).toHaveLength(3)
  await waitFor(async () => (await bus.waiting(bus.names.queue(queue))) === 1)
})

test('a failed message stays in flight until the broker has confirmed its retry', async () => {
  const publisher = await bus.publisher()
  let publishes = 0
  const retryLater: typeof publisher.retryLater = async (...message) => {
    publishes += 1
    if (publishes === 1) throw new Error('unconfirmed')
    await publisher.retryLater(...message)
  }
  let tries = 0
  const handle = async () => {
    tries += 1
    if (tries === 1) throw new Error('the row does not fit')
  }
  const consumer = await bus.consumer(queue, handle, { publisher: { ...publisher, retryLater } })
  await bus.put(queue, someMessage())
  await waitFor(() => tries === 2)
  expect(publishes).toBe(2)
  await expectSettled(consumer.stop)
})

test.each([
  ['the database is unavailable', true],
  ['the broker confirms no retry', false],
])('a stop while %s leaves a message in flight to the next consumer', async (_what, isAway) => {
  const publisher = await bus.publisher()
  let publishes = 0
  const retryLater = async () => {
    publishes += 1
    throw new Error('unconfirmed')
  }
  let tries = 0
  const handle = async () => {
    tries += 1
    throw new Error('not now')
  }
  const options = { publisher: { ...publisher, retryLater }, isUnavailable: () => isAway }
  const consumer = await bus.consumer(queue, handle, options)
  const message = someMessage()
  await bus.put(queue, message)
  await waitFor(() => (isAway ? tries : publishes) === 2)
  await consumer.stop()
  const redelivered = await bus.next(bus.names.queue(queue))
  expect([redelivered.properties.messageId, redelivered.fields.redelivered]).toEqual([message.id, true])
})

test('a consumer continues after its queue was deleted and migrate has declared it again', async () => {
  const handled: string[] = []
  const publisher = await bus.publisher()
  const handle = async (message: Message) => void handled.push(message.id)
  const consumer = await bus.consumer(queue, handle, { publisher, prefetch: 10 })
  await bus.put(queue, someMessage())
  await waitFor(() => handled.length === 1)
  await bus.channel.deleteQueue(bus.names.queue(queue))
  await waitFor(() => !consumer.connected())
  await bus.declare()
  const message = someMessage()
  const body = Buffer.from(JSON.stringify(message))
  await waitFor(async () => {
    await publisher.publish('events', message.name, { id: message.id, body })
    return handled.includes(message.id)
  })
})

test('a message whose name is not its routing key is dead-lettered and not handled', async () => {
  const handled: string[] = []
  await bus.consumer(queue, async message => void handled.push(message.id))
  const publisher = await bus.publisher()
  const [forged, honest] = [someMessage('payment.refunded'), someMessage('merchant.updated')]
  for (const { id, ...rest } of [forged, honest])
    await publisher.publish('events', 'merchant.updated', { id, body: Buffer.from(JSON.stringify({ id, ...rest })) })
  const { properties } = await bus.next(bus.names.deadLetter(queue))
  expect([properties.messageId, properties.headers?.['x-reason']]).toEqual([
    forged.id,
    'its name is not its routing key',
  ])
  await waitFor(() => handled.length > 0)
  expect(handled).toEqual([honest.id])
})

test('a requeued message of the release before, whose routing key is the name of its queue, is handled', async () => {
  const handled: string[] = []
  await bus.consumer(queue, async message => void handled.push(message.id))
  const id = await bus.put(queue, someMessage())
  await waitFor(() => handled.length > 0)
  expect(handled).toEqual([id])
})
