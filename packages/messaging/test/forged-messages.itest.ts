import { type EventDeclaration, events } from '@cobro/contracts'
import {
  failureKeys,
  type LoginName,
  loginNames,
  type QueueName,
  queueNames,
  queues,
  topologyNames,
} from '@cobro/contracts/broker'
import { waitFor } from '@cobro/testing'
import { type ConfirmChannel, connect } from 'amqplib'
import { bus, busOfEachTest } from './bus-of-each-test.ts'
import { someMessage } from './bus-under-test.ts'

busOfEachTest()

/** Publishes as a login, each message on a channel of its own: RabbitMQ closes one that may not publish. */
async function publishAs(login: LoginName, messages: Parameters<ConfirmChannel['publish']>[]): Promise<number> {
  const model = await connect(await bus.login(login), { noDelay: true })
  model.on('error', () => undefined)
  let confirmed = 0
  for (const message of messages) {
    const channel = await model.createConfirmChannel()
    channel.on('error', () => undefined)
    channel.publish(...message)
    await channel.waitForConfirms().then(
      () => confirmed++,
      () => undefined,
    )
    await channel.close().catch(() => undefined)
  }
  await model.close()
  return confirmed
}

/** Starts a consumer that returns the logins whose messages it handled. */
async function sendersHandled(queue: QueueName): Promise<() => string[]> {
  const senders = new Set<string>()
  await bus.consumer(queue, async ({ data }) => void senders.add(String(data.sender)))
  return () => [...senders]
}

const forgedName = 'payment.refunded'
const publishersOf = (name: string) =>
  (events as Record<string, EventDeclaration>)[name]?.publishers as readonly string[]

/** Sends a forged event by every exchange, with every kind of key and with more keys in `CC` and `BCC`. */
function forgedMessages(login: LoginName) {
  const { queue: fullName } = bus.names
  const ownEvent = Object.keys(events).find(name => publishersOf(name).includes(login)) ?? forgedName
  const ownQueues = queueNames.filter(name => queues[name].service === login)
  const further = [forgedName, ...Object.values(failureKeys), ...queueNames, ...queueNames.map(fullName)]
  const detours = [{ headers: { CC: further } }, { BCC: further }]
  const keys = [ownEvent, 'payment.charge', ...Object.values(failureKeys), ...ownQueues]
  return [...topologyNames(bus.namespace).exchanges, ''].flatMap(exchange =>
    keys.flatMap(key =>
      detours.map((detour): Parameters<ConfirmChannel['publish']> => {
        const message = someMessage(forgedName, { sender: login })
        return [exchange, key, Buffer.from(JSON.stringify(message)), { messageId: message.id, ...detour }]
      }),
    ),
  )
}

test('no consumer handles an event that its sender may not publish, however it is routed', async () => {
  const consumed: QueueName[] = ['checkout.events', 'audit-log.events', 'webhooks-dispatcher.events']
  const handled = new Map<QueueName, () => string[]>()
  for (const queue of consumed) handled.set(queue, await sendersHandled(queue))
  const forgers = loginNames.filter(login => ![...publishersOf(forgedName), 'migrate', 'ops'].includes(login))
  for (const login of forgers) {
    const confirmed = await publishAs(login, forgedMessages(login))
    expect([login, confirmed > 0]).toEqual([login, true])
  }
  // What was routed to a retry queue returns to the queue of its consumer, before this.
  for (const queue of queueNames) await waitFor(async () => (await bus.waiting(bus.names.retry(queue))) === 0)
  const genuine = someMessage(forgedName, { sender: 'transactions' })
  const body = Buffer.from(JSON.stringify(genuine))
  await publishAs('transactions', [[bus.names.exchange('events'), forgedName, body, { messageId: genuine.id }]])
  for (const queue of consumed) {
    const senders = handled.get(queue)!
    await waitFor(() => senders().includes('transactions'))
    // A service may move messages between its own queues, so it can forge what itself consumes.
    expect([queue, senders().filter(sender => sender !== queues[queue].service)]).toEqual([queue, ['transactions']])
  }
})

test('a consumer retries a message without the routing headers of its sender', async () => {
  const message = someMessage()
  await bus.consumer('checkout.events', () => Promise.reject(new Error('the row does not fit')))
  await bus.put('checkout.events', message, { headers: { CC: [failureKeys.deadLetter], kept: 'yes' } })
  const retried = await bus.next(bus.names.retry('checkout.events'))
  expect(retried.properties.headers).toEqual({ kept: 'yes', 'x-attempt': 1, 'x-delivery-count': 0 })
  expect(await bus.waiting(bus.names.deadLetter('checkout.events'))).toBe(0)
})
