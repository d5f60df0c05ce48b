import { commands, type EventDeclaration, events, httpRequests, newId, webhookAttempts } from '@cobro/contracts'
import {
  failureKeys,
  type LoginName,
  loginNames,
  type QueueName,
  queueNames,
  queues,
  topologyNames,
} from '@cobro/contracts/broker'
import { createLogger } from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import { type ConfirmChannel, connect } from 'amqplib'
import { openPublisher } from '../src/publisher.ts'
import { type BusUnderTest, busUnderTest } from './bus-under-test.ts'

let bus: BusUnderTest
beforeAll(async () => {
  bus = await busUnderTest()
})
afterAll(() => bus.stop())

type Act = (channel: ConfirmChannel) => unknown

/** Returns `allowed`, or the code with which RabbitMQ closed the channel. */
async function attempt(login: LoginName, act: Act): Promise<'allowed' | number> {
  const model = await connect(await bus.login(login), { noDelay: true })
  model.on('error', () => undefined)
  try {
    const channel = await model.createConfirmChannel()
    const closed = new Promise<number>(resolve =>
      channel.on('error', (error: { code?: number }) => resolve(error.code ?? 0)),
    )
    const done = (async () => {
      await act(channel)
      await channel.waitForConfirms()
      return 'allowed' as const
    })()
    // A rejected publish rejects the confirm as well, without a code.
    return await done.catch(() => closed)
  } finally {
    await model.close()
  }
}

/** Returns the logins that may do something; RabbitMQ has to deny it to all others with 403. */
async function allowed(act: Act): Promise<LoginName[]> {
  const outcomes = await Promise.all(loginNames.map(async login => ({ login, outcome: await attempt(login, act) })))
  for (const { login, outcome } of outcomes)
    expect([login, ['allowed', 403]]).toEqual([login, expect.arrayContaining([outcome])])
  return outcomes.filter(({ outcome }) => outcome === 'allowed').map(({ login }) => login)
}

const publish =
  (exchange: string, key: string): Act =>
  channel =>
    channel.publish(exchange, key, Buffer.from('{}'), { messageId: newId('evt') })

const publishersOf = (name: string) => (events as Record<string, EventDeclaration>)[name]?.publishers ?? []
const fullNames = () => bus.names

test.each(Object.keys(events))('only the declared publishers may publish %s', async name => {
  const publishers = await allowed(publish(fullNames().exchange('events'), name))
  expect(publishers).toEqual(loginNames.filter(login => (publishersOf(name) as readonly string[]).includes(login)))
})

test('a login may publish neither an undeclared event nor a key that only contains a declared one', async () => {
  for (const key of ['', '#', 'payment.teleport', 'payment.approved.x', 'x.payment.approved', 'paymentXapproved'])
    expect([key, await allowed(publish(fullNames().exchange('events'), key))]).toEqual([key, []])
})

test.each(Object.keys(commands))('only checkout may send the command %s', async name => {
  expect(await allowed(publish(fullNames().exchange('commands'), name))).toEqual(['checkout', 'checkout-commands'])
})

test('only the gateway may publish calls, and only webhooks-dispatcher events of webhook attempts', async () => {
  const { exchange } = fullNames()
  expect(await allowed(publish(exchange('calls'), httpRequests.name))).toEqual(['gateway', 'migrate'])
  expect(await allowed(publish(exchange('webhook-attempts'), webhookAttempts.name))).toEqual([
    'webhooks-dispatcher',
    'migrate',
  ])
})

test('a publisher logs that its login may not publish, rejects, and publishes again what it may', async () => {
  const lines: string[] = []
  const logger = createLogger('messaging-test', 'info', { write: line => void lines.push(line) })
  const publisher = openPublisher({ url: await bus.login('gateway'), namespace: bus.namespace, logger })
  await waitFor(publisher.connected)
  const message = () => ({ id: newId('evt'), body: Buffer.from('{}') })
  await expect(publisher.publish('events', 'payment.approved', message())).rejects.toThrow('did not confirm')
  const failed = lines.filter(line => line.includes('a publisher channel failed'))
  expect(failed).toEqual([expect.stringContaining('ACCESS_REFUSED')])
  await waitFor(() => publisher.publish('events', 'merchant.updated', message()).then(() => true))
  await publisher.close()
})

test('no service may publish to a queue directly, not even to its own', async () => {
  for (const queue of [...topologyNames(bus.namespace).queues, 'amq.rabbitmq.reply-to'])
    expect([queue, await allowed(publish('', queue))]).toEqual([queue, ['migrate']])
  for (const queue of queueNames)
    expect(await allowed(publish(fullNames().deadLetterExchange, fullNames().queue(queue)))).toEqual(['migrate'])
})

test.each(queueNames)('only the consumer of %s and operators may move its messages', async queue => {
  for (const key of Object.values(failureKeys))
    expect((await allowed(publish(fullNames().failureExchange(queue), key))).sort()).toEqual(
      [queues[queue].service, 'migrate', 'ops'].sort(),
    )
})

test('only transactions may reply, and only checkout may receive replies', async () => {
  const { replyExchange, reply } = fullNames()
  expect(await allowed(publish(replyExchange, reply('x')))).toEqual(['transactions', 'migrate'])
  const receive: Act = async channel => {
    const queue = reply(newId('cmd'))
    await channel.assertQueue(queue, { exclusive: true, durable: false })
    await channel.bindQueue(queue, replyExchange, queue)
    await channel.consume(queue, () => undefined)
  }
  expect((await allowed(receive)).sort()).toEqual(['checkout-commands', 'migrate'])
})

test.each(queueNames)('only its service may read %s, and only operators its dead letters', async queue => {
  const get =
    (name: string): Act =>
    async channel => {
      const message = await channel.get(name)
      if (message) channel.nack(message)
    }
  const { names } = bus
  expect((await allowed(get(names.queue(queue)))).sort()).toEqual([queues[queue].service, 'migrate'].sort())
  expect((await allowed(get(names.deadLetter(queue)))).sort()).toEqual(['migrate', 'ops'])
  expect(await allowed(get(names.retry(queue)))).toEqual(['migrate'])
})

const queue: QueueName = 'checkout.events'
const declarations: Record<string, Act> = {
  'declare a queue': channel => channel.assertQueue(`${bus.namespace}.own`, { exclusive: true, durable: false }),
  'declare a queue without a name': channel => channel.assertQueue('', { exclusive: true }),
  'declare an existing queue': channel => channel.assertQueue(bus.names.queue(queue)),
  'declare an exchange': channel => channel.assertExchange(bus.names.exchange('events'), 'topic'),
  'delete a queue': channel => channel.deleteQueue(bus.names.queue(queue)),
  'delete an exchange': channel => channel.deleteExchange(bus.names.exchange('events')),
  'bind a queue to events': channel => channel.bindQueue(bus.names.queue(queue), bus.names.exchange('events'), '#'),
  'unbind a queue': channel => channel.unbindQueue(bus.names.queue(queue), bus.names.exchange('events'), 'x.y'),
  'bind exchanges': channel =>
    channel.bindExchange(bus.names.exchange('events'), bus.names.failureExchange(queue), '#'),
  'use a topology of another namespace': channel => channel.publish('amq.topic', 'payment.approved', Buffer.from('{}')),
}
const services = loginNames.filter(login => login !== 'migrate')

test.each(Object.entries(declarations))('no login but that of migrate may %s', async (_what, act) => {
  for (const login of services) expect([login, await attempt(login, act)]).toEqual([login, 403])
})

/** Ways to turn the right to create reply queues into one to publish events. */
const detours: Record<string, Act> = {
  'an alternate exchange': channel =>
    channel.assertExchange(bus.names.reply('x'), 'fanout', { alternateExchange: bus.names.exchange('events') }),
  'a dead-letter exchange': channel =>
    channel.assertQueue(bus.names.reply('x'), {
      ...{ exclusive: true, durable: false },
      arguments: {
        'x-dead-letter-exchange': bus.names.exchange('events'),
        'x-dead-letter-routing-key': 'payment.approved',
      },
    }),
  'a dead-letter queue': channel =>
    channel.assertQueue(bus.names.reply('x'), {
      ...{ exclusive: true, durable: false },
      arguments: { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': bus.names.queue(queue) },
    }),
  'a binding to events': channel =>
    channel.bindExchange(bus.names.exchange('events'), bus.names.replyExchange, 'payment.approved'),
  'a binding of events': channel => channel.bindQueue(bus.names.reply('x'), bus.names.exchange('events'), '#'),
}

test.each(Object.entries(detours))('the login of the command client cannot publish events by %s', async (_by, act) => {
  expect(await attempt('checkout-commands', act)).toBe(403)
})

test('a login cannot be used with another password', async () => {
  const url = new URL(await bus.login('transactions'))
  url.password = 'transactions'
  await expect(connect(url.href)).rejects.toThrow('ACCESS-REFUSED')
})
