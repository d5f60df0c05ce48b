import { setTimeout as sleep } from 'node:timers/promises'
import type { Message } from '@cobro/contracts'
import { type TcpProxy, tcpProxy, waitFor } from '@cobro/testing'
import { type CommandClient, openCommandClient } from '../src/command-client.ts'
import type { MessageHandler } from '../src/consumer.ts'
import { keepConnected } from '../src/keep-connected.ts'
import { blockedFrame, unblockedFrame } from './blocked-frames.ts'
import { type BusUnderTest, busUnderTest, someMessage } from './bus-under-test.ts'

const queue = 'transactions.commands'
const minuteMs = 60_000

let bus: BusUnderTest
let gate: TcpProxy
let client: CommandClient
beforeEach(async () => {
  bus = await busUnderTest()
  gate = await tcpProxy(await bus.login('checkout-commands'))
  client = openCommandClient({ url: gate.url, namespace: bus.namespace, logger: bus.logger })
  await waitFor(client.connected)
})
afterEach(async () => {
  await gate.open()
  await client.close()
  await bus.release()
  await gate.close()
  await bus.stop()
})

const command = () => someMessage('payment.charge')
/**
 * Sends commands that get no reply, each with more time than the last, until the broker confirms
 * one in time. Returns its result.
 */
async function requestUntilConfirmed(make: () => Message) {
  for (let timeoutMs = 150; ; timeoutMs *= 4) {
    const result = await client.request(make(), timeoutMs)
    if (result.outcome !== 'unconfirmed' || timeoutMs > 5_000) return result
  }
}
const answerTo = (message: Message): Message => ({
  ...someMessage('payment_attempt.settled'),
  data: { to: message.id },
})
const answering: MessageHandler = async (message, reply) => reply(answerTo(message))

test('each command client receives the reply to its own command', async () => {
  await bus.consumer(queue, answering)
  const commands = Array.from({ length: 50 }, command)
  const answers = await Promise.all(commands.map(message => client.request(message, minuteMs)))
  expect(answers.map(answer => answer.outcome === 'reply' && answer.reply.data.to)).toEqual(
    commands.map(message => message.id),
  )
})

test('a command without a reply in time results in no_reply, and a late reply reaches no other request', async () => {
  const barrier = bus.barrier()
  const heard: string[] = []
  await bus.consumer(queue, async (message, reply) => {
    heard.push(message.id)
    await barrier.lifted
    reply(answerTo(message))
  })
  expect(await requestUntilConfirmed(command)).toEqual({ outcome: 'no_reply' })
  await waitFor(() => heard.length > 0)
  const next = command()
  const requested = client.request(next, minuteMs)
  barrier.lift()
  expect(await requested).toMatchObject({ outcome: 'reply', reply: { data: { to: next.id } } })
})

test('an invalid reply results in no_reply and does not affect other requests', async () => {
  await bus.consumer(queue, async (message, reply) => reply(message.data.sane ? answerTo(message) : ({} as Message)))
  const [insane, sane] = await Promise.all([
    requestUntilConfirmed(command),
    client.request({ ...command(), data: { sane: true } }, minuteMs),
  ])
  expect([insane.outcome, sane.outcome]).toEqual(['no_reply', 'reply'])
  expect(client.connected()).toBe(true)
})

test('a command that no queue is bound for is unconfirmed', async () => {
  expect(await client.request(someMessage('payment.teleport'), minuteMs)).toEqual({ outcome: 'unconfirmed' })
})

test('a command to a broker that confirms nothing is unconfirmed after its timeout', async () => {
  gate.stall()
  expect(await client.request(command(), 300)).toEqual({ outcome: 'unconfirmed' })
  // It did not wait until the heartbeat failed.
  expect(client.connected()).toBe(true)
})

test('a command to a broker that blocks the connection is not sent, and the next one is after that', async () => {
  await bus.consumer(queue, answering)
  gate.sendToClients(blockedFrame('low on memory'))
  await waitFor(() => !client.connected())
  expect(await client.request(command(), minuteMs)).toEqual({ outcome: 'not_sent' })
  gate.sendToClients(unblockedFrame())
  await waitFor(client.connected)
  expect(await client.request(command(), minuteMs)).toMatchObject({ outcome: 'reply' })
})

test('a command whose connection is cut is unconfirmed', async () => {
  gate.stall()
  const requested = client.request(command(), 10 * minuteMs)
  await gate.shut()
  expect(await requested).toEqual({ outcome: 'unconfirmed' })
})

test('a request during a connect or reconnect is sent once the connection is open', async () => {
  await bus.consumer(queue, answering)
  /** Sends a request during a connect, again if that took over two seconds on a busy machine. */
  const requestDuring = (connect: () => Promise<void>) =>
    waitFor(async () => {
      await connect()
      const result = await client.request(command(), minuteMs)
      return result.outcome !== 'not_sent' && result
    })
  const connect = async () => {
    await client.close()
    client = openCommandClient({ url: gate.url, namespace: bus.namespace, logger: bus.logger })
    expect(client.connected()).toBe(false)
  }
  expect(await requestDuring(connect)).toMatchObject({ outcome: 'reply' })
  const reconnect = async () => {
    await gate.shut()
    await waitFor(() => !client.connected())
    await gate.open()
  }
  expect(await requestDuring(reconnect)).toMatchObject({ outcome: 'reply' })
})

test('a request without a connection results in not_sent within two seconds, or sooner with a shorter timeout', async () => {
  await gate.shut()
  await waitFor(() => !client.connected())
  for (const [timeoutMs, limitMs] of [
    [minuteMs, 2_100],
    [200, 300],
  ] as const) {
    // Timers of one process end in order, however late the machine is.
    const first = await Promise.race([client.request(command(), timeoutMs), sleep(limitMs, 'the limit')])
    expect(first).toEqual({ outcome: 'not_sent' })
  }
})

test('a request without a connection results in not_sent, and requests succeed again after the reconnect', async () => {
  const heard: string[] = []
  await bus.consumer(queue, async (message, reply) => {
    heard.push(message.id)
    reply(answerTo(message))
  })
  await gate.shut()
  await waitFor(() => !client.connected())
  expect(await client.request(command(), minuteMs)).toEqual({ outcome: 'not_sent' })
  await gate.open()
  await waitFor(client.connected)
  const again = command()
  expect(await client.request(again, minuteMs)).toMatchObject({ outcome: 'reply', reply: { data: { to: again.id } } })
  expect(heard).toEqual([again.id])
})

describe('beside a replica of the release before', () => {
  const properties = (message: Message, replyTo: string) => ({ messageId: message.id, replyTo })
  const contentOf = (message: Message) => Buffer.from(JSON.stringify(message))

  test('a command client receives a reply that transactions publishes to the default exchange', async () => {
    const replying = client.request(command(), minuteMs)
    const { content, properties: sent } = await bus.next(bus.names.queue(queue))
    const answer = answerTo(JSON.parse(content.toString()))
    bus.channel.publish('', sent.replyTo, contentOf(answer), { correlationId: sent.messageId })
    expect(await replying).toMatchObject({ outcome: 'reply', reply: { id: answer.id } })
  })

  test('a consumer replies to a direct reply-to if its login may, and otherwise goes on without a reply', async () => {
    const replies: string[] = []
    await bus.channel.consume(
      'amq.rabbitmq.reply-to',
      raw => void replies.push(String(raw?.properties.correlationId)),
      {
        noAck: true,
      },
    )
    const handled: string[] = []
    const handle: MessageHandler = async (message, reply) => {
      handled.push(message.id)
      reply(answerTo(message))
    }
    const send = async () => {
      const message = command()
      const replyTo = 'amq.rabbitmq.reply-to'
      bus.channel.publish(
        bus.names.exchange('commands'),
        message.name,
        contentOf(message),
        properties(message, replyTo),
      )
      await waitFor(() => handled.includes(message.id))
      return message.id
    }
    const limited = await bus.consumer(queue, handle)
    await send()
    await send()
    expect(limited.connected()).toBe(true)
    await limited.stop()
    expect([replies, await bus.waiting(bus.names.queue(queue))]).toEqual([[], 0])
    await bus.consumer(queue, handle, { url: bus.url })
    const answered = await send()
    await waitFor(() => replies.length > 0)
    expect([replies, handled.length]).toEqual([[answered], 3])
  })

  test('a consumer publishes no reply to any other queue that a command names', async () => {
    await bus.consumer(queue, answering)
    const message = command()
    const target = bus.names.queue('checkout.events')
    bus.channel.publish(bus.names.exchange('commands'), message.name, contentOf(message), properties(message, target))
    await bus.channel.waitForConfirms()
    await client.request(command(), minuteMs)
    expect(await bus.waiting(target)).toBe(0)
  })
})

test('a connection that is closed while it opens is not set up', async () => {
  let setups = 0
  const connection = keepConnected({ url: gate.url, logger: bus.logger, setup: async () => void setups++ })
  await connection.close()
  expect([setups, connection.connected()]).toEqual([0, false])
})
