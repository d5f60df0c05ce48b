import { setTimeout as sleep } from 'node:timers/promises'
import { type Message, newId } from '@cobro/contracts'
import { smallestOf, type TcpProxy, tcpProxy, waitFor } from '@cobro/testing'
import { browseDeadLetters } from '../src/dead-letters.ts'
import { declareBus } from '../src/declare-bus.ts'
import { BrokerUnavailable, openPublisher } from '../src/publisher.ts'
import { blockedFrame, unblockedFrame } from './blocked-frames.ts'
import { type BusUnderTest, busUnderTest, someMessage } from './bus-under-test.ts'

const queue = 'checkout.events'
const healedWithinMs = 5_000

let bus: BusUnderTest
let gate: TcpProxy
beforeEach(async () => {
  bus = await busUnderTest()
  gate = await tcpProxy(bus.url)
})
afterEach(async () => {
  await bus.release()
  await gate.close()
  await bus.stop()
})

const outgoing = (message: Message) => ({ id: message.id, body: Buffer.from(JSON.stringify(message)) })

test('after a connection loss publishing and consuming continue within five seconds, and no published message is lost', async () => {
  let handled = new Set<string>()
  const publisher = await bus.publisher(gate.url)
  const consumer = await bus.consumer(queue, async message => void handled.add(message.id), {
    url: gate.url,
    publisher,
  })
  /** Loses the connection amid 300 messages; returns the time until the next one was handled. */
  const loseConnection = async () => {
    handled = new Set()
    const messages = Array.from({ length: 300 }, () => someMessage())
    let isLost = false
    let refused = 0
    const publishing = messages.map(async (message, index) => {
      await waitFor(() => index < 200 || isLost)
      // Like the relay: without a confirm, publish again under the same id.
      await waitFor(() =>
        publisher
          .publish('events', message.name, outgoing(message))
          .then(() => true)
          .catch(() => ++refused && false),
      )
    })
    await waitFor(() => handled.size >= 100)
    await gate.shut()
    isLost = true
    await waitFor(() => !publisher.connected() && !consumer.connected())
    await waitFor(() => refused > 0)
    const away = handled.size
    await gate.open()
    const opened = Date.now()
    await waitFor(() => handled.size > away)
    const healedMs = Date.now() - opened
    await Promise.all(publishing)
    await waitFor(() => messages.every(message => handled.has(message.id)))
    return healedMs
  }
  expect(await smallestOf(healedWithinMs, loseConnection)).toBeLessThan(healedWithinMs)
})

test('a message in flight is redelivered after a connection loss, although many later ones were acknowledged', async () => {
  const barrier = bus.barrier()
  const messages = Array.from({ length: 200 }, () => someMessage())
  const slow = messages[50]!
  const handled = new Set<string>()
  let begun = 0
  for (const message of messages) await bus.put(queue, message)
  const publisher = await bus.publisher()
  await bus.consumer(
    queue,
    async message => {
      if (message.id === slow.id && ++begun === 1) await barrier.lifted
      handled.add(message.id)
    },
    { url: gate.url, publisher, prefetch: 20 },
  )
  // The later messages were only delivered because earlier ones were acknowledged.
  await waitFor(() => handled.size === messages.length - 1)
  expect([begun, handled.has(slow.id)]).toEqual([1, false])
  await gate.shut()
  await gate.open()
  await waitFor(() => begun > 1 && handled.has(slow.id))
})

test('a message that outlives its connection does not end the consumer of the next one', async () => {
  const barrier = bus.barrier()
  const slow = someMessage()
  const begun: string[] = []
  const ended: string[] = []
  await bus.consumer(
    queue,
    async message => {
      begun.push(message.id)
      if (begun.length === 1) await barrier.lifted
      ended.push(message.id)
    },
    { url: gate.url },
  )
  await bus.put(queue, slow)
  await waitFor(() => begun.length === 1)
  await gate.shut()
  await gate.open()
  await waitFor(() => ended.length === 1)
  expect(begun).toEqual([slow.id, slow.id])
  barrier.lift()
  await waitFor(() => ended.length === 2)
  const next = [someMessage(), someMessage(), someMessage()]
  for (const message of next) await bus.put(queue, message)
  await waitFor(() => ended.length === 5)
  expect(ended.slice(2).sort()).toEqual(next.map(message => message.id).sort())
})

test('a publisher without a connection rejects with BrokerUnavailable and connects once the broker is available', async () => {
  await gate.shut()
  const publisher = openPublisher({ url: gate.url, namespace: bus.namespace, logger: bus.logger })
  try {
    const message = someMessage()
    await expect(publisher.publish('events', message.name, outgoing(message))).rejects.toThrow(BrokerUnavailable)
    expect(publisher.connected()).toBe(false)
    await gate.open()
    await waitFor(publisher.connected)
    await publisher.publish('events', message.name, outgoing(message))
    expect((await bus.next(bus.names.queue(queue))).properties.messageId).toBe(message.id)
  } finally {
    await publisher.close()
  }
})

test('a publisher rejects with BrokerUnavailable while the broker blocks it, also after a reconnect, and publishes afterwards', async () => {
  const publisher = await bus.publisher(gate.url)
  const message = someMessage()
  const publish = () => publisher.publish('events', message.name, outgoing(message))
  gate.sendToClients(blockedFrame('low on memory'))
  await waitFor(() => !publisher.connected())
  await expect(publish()).rejects.toThrow(BrokerUnavailable)
  gate.sendToClients(unblockedFrame())
  await waitFor(publisher.connected)
  await publish()
  gate.sendToClients(blockedFrame('low on disk'))
  await waitFor(() => !publisher.connected())
  // The broker says it again to a new connection that publishes.
  await gate.shut()
  await gate.open()
  await waitFor(publisher.connected)
  await publish()
  expect(await bus.waiting(bus.names.queue(queue))).toBe(2)
})

test('a publisher closes at once while the broker is unavailable', async () => {
  await gate.shut()
  const publisher = openPublisher({ url: gate.url, namespace: bus.namespace, logger: bus.logger })
  // A close that waits for the connection ends after two seconds.
  expect(await Promise.race([publisher.close(), sleep(1_900, 'too late')])).toBeUndefined()
})

test('a broker that hangs or goes away during a close does not delay the stop', async () => {
  const publisher = openPublisher({ url: gate.url, namespace: bus.namespace, logger: bus.logger })
  const leaving = openPublisher({ url: gate.url, namespace: bus.namespace, logger: bus.logger })
  const consumer = await bus.consumer(queue, async () => {}, { url: gate.url })
  await waitFor(() => publisher.connected() && leaving.connected() && consumer.connected())
  gate.stall()
  const stopping = Promise.all([publisher.close(), consumer.stop()])
  // Before the heartbeat of ten seconds could have failed twice.
  expect(await Promise.race([stopping, sleep(15_000, 'too late')])).not.toBe('too late')
  const left = leaving.close()
  await gate.shut()
  await left
})

test('a one-off broker operation fails if the broker accepts the connection and does not respond', async () => {
  gate.stall()
  const hanging = { url: gate.url, namespace: bus.namespace }
  const asked = [browseDeadLetters(hanging, queue, () => 'requeue'), declareBus(hanging.url, hanging.namespace)]
  const outcomes = await Promise.allSettled(asked)
  expect(outcomes.map(outcome => String('reason' in outcome && outcome.reason))).toEqual([
    expect.stringContaining('ETIMEDOUT'),
    expect.stringContaining('ETIMEDOUT'),
  ])
})

test('a one-off broker operation fails if the broker hangs during it, and its close does not wait', async () => {
  await bus.put(queue, someMessage())
  const address = new URL(gate.url)
  address.searchParams.set('heartbeat', '1')
  await bus.channel.publish(bus.names.deadLetterExchange, bus.names.queue(queue), Buffer.from('{'), { messageId: 'm' })
  await bus.channel.waitForConfirms()
  const looking = browseDeadLetters({ url: address.href, namespace: bus.namespace }, queue, () => {
    gate.stall()
    return 'keep'
  })
  await expect(looking).rejects.toThrow()
  expect(await bus.waiting(bus.names.queue(queue))).toBe(1)
})

test('publishing a message that no queue is bound for rejects each time, and concurrent publishes succeed', async () => {
  const publisher = await bus.publisher()
  const lost = someMessage('payment.teleport')
  const kept = someMessage('payment.resolve')
  const outcomes = await Promise.allSettled(
    [kept, lost, lost, someMessage('payment.resolve')].map(message =>
      publisher.publish('commands', message.name, outgoing(message)),
    ),
  )
  expect(outcomes.map(outcome => outcome.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  for (const outcome of outcomes.slice(1, 3))
    expect(outcome).toMatchObject({ reason: new Error('RabbitMQ has no queue for payment.teleport') })
  expect(await bus.waiting(bus.names.queue('transactions.commands'))).toBe(2)
})

test('a publisher reconnects after the broker closes its channel', async () => {
  const publisher = await bus.publisher()
  const message = someMessage()
  await bus.channel.deleteExchange(bus.names.exchange('events'))
  await expect(publisher.publish('events', message.name, outgoing(message))).rejects.toThrow('did not confirm')
  expect(publisher.connected()).toBe(false)
  await bus.declare()
  await waitFor(() => publisher.publish('events', message.name, outgoing(message)).then(() => true))
  expect((await bus.next(bus.names.queue(queue))).properties.messageId).toBe(message.id)
})

test('a message keeps its id, bytes, headers and correlation id, and is persistent', async () => {
  const publisher = await bus.publisher()
  const body = Buffer.from('{"ñ":  1}')
  const id = newId('evt')
  await publisher.publish('events', 'merchant.created', { id, body, correlationId: 'corr_1', headers: { a: 'b' } })
  const { content, properties } = await bus.next(bus.names.queue(queue))
  expect(content.equals(body)).toBe(true)
  expect(properties).toMatchObject({
    messageId: id,
    correlationId: 'corr_1',
    contentType: 'application/json',
    deliveryMode: 2,
    headers: { a: 'b' },
  })
})
