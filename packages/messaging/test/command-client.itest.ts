import type { Message } from '@cobro/contracts'
import { type TcpProxy, tcpProxy, waitFor } from '@cobro/testing'
import { type CommandClient, openCommandClient } from '../src/command-client.ts'
import type { MessageHandler } from '../src/consumer.ts'
import { type BusUnderTest, busUnderTest, someMessage } from './bus-under-test.ts'

const queue = 'transactions.commands'

let bus: BusUnderTest
let gate: TcpProxy
let client: CommandClient
beforeEach(async () => {
  bus = await busUnderTest()
  gate = await tcpProxy(bus.url)
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
const answerTo = (message: Message): Message => ({
  ...someMessage('payment_attempt.settled'),
  data: { to: message.id },
})
const answering: MessageHandler = async (message, reply) => reply(answerTo(message))

test('each command client receives the reply to its own command', async () => {
  await bus.consumer(queue, answering)
  const commands = Array.from({ length: 50 }, command)
  const answers = await Promise.all(commands.map(message => client.request(message, 5_000)))
  expect(answers.map(answer => answer.outcome === 'reply' && answer.reply.data.to)).toEqual(
    commands.map(message => message.id),
  )
})

test('a command without a reply in time results in no_reply, and a late reply reaches no other request', async () => {
  const barrier = bus.barrier()
  const heard: string[] = []
  await bus.consumer(queue, async (message, reply) => {
    heard.push(message.id)
    if (heard.length === 1) await barrier.lifted
    reply(answerTo(message))
  })
  expect(await client.request(command(), 150)).toEqual({ outcome: 'no_reply' })
  await waitFor(() => heard.length === 1)
  const next = command()
  const requested = client.request(next, 5_000)
  barrier.lift()
  expect(await requested).toMatchObject({ outcome: 'reply', reply: { data: { to: next.id } } })
})

test('an invalid reply results in no_reply and does not affect other requests', async () => {
  await bus.consumer(queue, async (message, reply) => reply(message.data.sane ? answerTo(message) : ({} as Message)))
  const [insane, sane] = await Promise.all([
    client.request(command(), 500),
    client.request({ ...command(), data: { sane: true } }, 5_000),
  ])
  expect([insane.outcome, sane.outcome]).toEqual(['no_reply', 'reply'])
  expect(client.connected()).toBe(true)
})

test('a command that no queue is bound for is unconfirmed', async () => {
  expect(await client.request(someMessage('payment.teleport'), 5_000)).toEqual({ outcome: 'unconfirmed' })
})

test('a command to a broker that confirms nothing is unconfirmed after its timeout', async () => {
  gate.stall()
  const before = Date.now()
  expect(await client.request(command(), 300)).toEqual({ outcome: 'unconfirmed' })
  expect(Date.now() - before).toBeLessThan(2_000)
})

test('a command whose connection is cut is unconfirmed', async () => {
  gate.stall()
  const requested = client.request(command(), 5_000)
  await gate.shut()
  expect(await requested).toEqual({ outcome: 'unconfirmed' })
})

test('a request during a connect or reconnect is sent once the connection is open', async () => {
  await bus.consumer(queue, answering)
  await client.close()
  client = openCommandClient({ url: gate.url, namespace: bus.namespace, logger: bus.logger })
  expect(client.connected()).toBe(false)
  expect(await client.request(command(), 5_000)).toMatchObject({ outcome: 'reply' })
  await gate.shut()
  await waitFor(() => !client.connected())
  await gate.open()
  expect(await client.request(command(), 5_000)).toMatchObject({ outcome: 'reply' })
})

test('a request without a connection results in not_sent within two seconds, or sooner with a shorter timeout', async () => {
  await gate.shut()
  await waitFor(() => !client.connected())
  for (const [timeoutMs, most] of [
    [10_000, 3_000],
    [200, 1_000],
  ] as const) {
    const before = performance.now()
    expect(await client.request(command(), timeoutMs)).toEqual({ outcome: 'not_sent' })
    expect(performance.now() - before).toBeLessThan(most)
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
  expect(await client.request(command(), 5_000)).toEqual({ outcome: 'not_sent' })
  await gate.open()
  await waitFor(client.connected, { timeoutMs: 5_000 })
  const again = command()
  expect(await client.request(again, 5_000)).toMatchObject({ outcome: 'reply', reply: { data: { to: again.id } } })
  expect(heard).toEqual([again.id])
})
