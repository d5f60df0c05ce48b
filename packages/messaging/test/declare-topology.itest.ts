import {
  commands,
  type EventDeclaration,
  events,
  httpRequests,
  newId,
  webhookAttempts,
  webhookCatalog,
} from '@cobro/contracts'
import { busNames, type ExchangeName, type queues, topologyNames } from '@cobro/contracts/broker'
import { testNamespace } from '@cobro/testing'
import { connect } from 'amqplib'
import { declareBus } from '../src/declare-bus.ts'

const { url, namespace, login, cleanup } = testNamespace()
const names = busNames(namespace)
afterAll(cleanup)

test('the topology can be declared again and concurrently', async () => {
  await declareBus(await login('migrate'), namespace)
  await Promise.all(Array.from({ length: 4 }, async () => declareBus(await login('migrate'), namespace)))
})

test('every declared queue and exchange exists, and every message is routed as its contract says', async () => {
  const model = await connect(url, { noDelay: true })
  const channel = await model.createConfirmChannel()
  for (const queue of topologyNames(namespace).queues) await channel.checkQueue(queue)
  for (const exchange of topologyNames(namespace).exchanges) await channel.checkExchange(exchange)
  const declared = events as Record<string, EventDeclaration>
  const publish = (exchange: ExchangeName, name: string) =>
    channel.publish(names.exchange(exchange), name, Buffer.from('{}'), { messageId: newId('evt'), mandatory: true })
  const returned: string[] = []
  channel.on('return', message => returned.push(message.fields.routingKey))
  for (const name of Object.keys(declared)) publish('events', name)
  for (const name of Object.keys(commands)) publish('commands', name)
  publish('calls', httpRequests.name)
  publish('webhook-attempts', webhookAttempts.name)
  await channel.waitForConfirms()
  const count = async (queue: keyof typeof queues) => (await channel.checkQueue(names.queue(queue))).messageCount
  const consumedBy = (service: string) =>
    Object.values(declared).filter(event => (event.consumers as readonly string[]).includes(service)).length
  expect({
    returned,
    checkout: await count('checkout.events'),
    transactions: await count('transactions.commands'),
    dispatcher: await count('webhooks-dispatcher.events'),
    audit: await count('audit-log.events'),
    calls: await count('audit-log.calls'),
    attempts: await count('audit-log.webhook-attempts'),
  }).toEqual({
    returned: [],
    checkout: consumedBy('checkout'),
    transactions: Object.keys(commands).length,
    dispatcher: Object.keys(webhookCatalog).length - 1,
    audit: Object.keys(declared).length,
    calls: 1,
    attempts: 1,
  })
  await model.close()
})

test('declaring the topology removes bindings of an earlier release and keeps the others', async () => {
  const model = await connect(url, { noDelay: true })
  const channel = await model.createConfirmChannel()
  const queue = names.queue('webhooks-dispatcher.events')
  await channel.bindQueue(queue, names.exchange('events'), 'webhook.test')
  await declareBus(await login('migrate'), namespace)
  await channel.purgeQueue(queue)
  for (const name of ['webhook.test', 'payment.approved']) {
    channel.publish(names.exchange('events'), name, Buffer.from('{}'), { messageId: newId('evt') })
  }
  await channel.waitForConfirms()
  expect((await channel.checkQueue(queue)).messageCount).toBe(1)
  await model.close()
})
