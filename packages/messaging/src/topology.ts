import { commands, type EventDeclaration, events, webhookCatalog } from '@cobro/contracts'
import { timings } from '@cobro/runtime'
import type { Channel } from 'amqplib'

/** A service's queue on one exchange, with its routing keys. */
interface QueueDeclaration {
  exchange: ExchangeName
  bindings: string[]
  /** Routing keys that an earlier release bound: RabbitMQ keeps a binding until it is removed. */
  unbound?: string[]
}

/** The topic exchanges that services publish to. */
export type ExchangeName = 'events' | 'commands'

const consumedBy = (service: string) =>
  Object.entries(events as Record<string, EventDeclaration>)
    .filter(([, event]) => (event.consumers as readonly string[]).includes(service))
    .map(([name]) => name)

/** The dispatcher publishes this for the audit log. It sends the test to one endpoint by itself. */
const test = 'webhook.test'

/** Every queue of the system, by name without the namespace. Contracts determine the bindings. */
export const queues = {
  'checkout.events': { exchange: 'events', bindings: consumedBy('checkout') },
  'transactions.events': { exchange: 'events', bindings: consumedBy('transactions') },
  'transactions.commands': { exchange: 'commands', bindings: Object.keys(commands) },
  'webhooks-dispatcher.events': {
    exchange: 'events',
    bindings: Object.keys(webhookCatalog).filter(name => name !== test),
    unbound: [test],
  },
  'audit-log.events': { exchange: 'events', bindings: ['#'] },
} satisfies Record<string, QueueDeclaration>

export type QueueName = keyof typeof queues

export const queueNames = Object.keys(queues) as QueueName[]

/** Dead-letters messages that keep crashing a consumer. Ordinary failures use the retry queue. */
const deliveryLimit = 20

/** Full names of exchanges and queues. Namespaces let deployments or tests share a broker. */
export const busNames = (namespace: string) => ({
  exchange: (exchange: ExchangeName) => `${namespace}.${exchange}`,
  /**
   * Routes dead letters by the name of their queue. It is called `parking` because the queues name
   * it in `x-dead-letter-exchange`, an argument that RabbitMQ cannot change on an existing queue.
   */
  deadLetterExchange: `${namespace}.parking`,
  queue: (queue: QueueName) => `${namespace}.${queue}`,
  retry: (queue: QueueName) => `${namespace}.${queue}.retry`,
  deadLetter: (queue: QueueName) => `${namespace}.${queue}.dead-letter`,
  /**
   * Where the release before kept dead letters. Its replicas use it during a rolling deployment;
   * the next release deletes it.
   */
  formerDeadLetter: (queue: QueueName) => `${namespace}.${queue}.parked`,
})

/** Returns the full names of all queues and exchanges, so that tests can delete a namespace. */
export function topologyNames(namespace: string): { queues: string[]; exchanges: string[] } {
  const names = busNames(namespace)
  const kinds = [names.queue, names.retry, names.deadLetter, names.formerDeadLetter]
  return {
    queues: queueNames.flatMap(queue => kinds.map(nameOf => nameOf(queue))),
    exchanges: [names.exchange('events'), names.exchange('commands'), names.deadLetterExchange],
  }
}

/**
 * Declares all exchanges and queues except dead-letter queues, the same on RabbitMQ 3.10 and 4.
 * Every process does so before its first publish: an event published before its consumer's queue exists is lost.
 */
export async function declareTopology(channel: Channel, namespace: string): Promise<void> {
  const names = busNames(namespace)
  await channel.assertExchange(names.exchange('events'), 'topic', { durable: true })
  await channel.assertExchange(names.exchange('commands'), 'topic', { durable: true })
  await channel.assertExchange(names.deadLetterExchange, 'direct', { durable: true })
  for (const name of queueNames) {
    const { exchange, bindings, unbound = [] }: QueueDeclaration = queues[name]
    await declareQueue(channel, names, name)
    for (const key of bindings) await channel.bindQueue(names.queue(name), names.exchange(exchange), key)
    for (const key of unbound) await channel.unbindQueue(names.queue(name), names.exchange(exchange), key)
  }
}

const quorum = { 'x-queue-type': 'quorum' }

/**
 * Declares the dead-letter queue of a consumer. Only the consumer and its service's migrate command
 * do this: if other services did, the dead letters of a consumer of the release before would be in the former queue
 * too. Binds the new queue before it unbinds the former one, so that no dead letter is without a queue in between.
 */
export async function declareDeadLetterQueue(channel: Channel, namespace: string, name: QueueName): Promise<void> {
  const names = busNames(namespace)
  await channel.assertQueue(names.deadLetter(name), { durable: true, arguments: quorum })
  await channel.bindQueue(names.deadLetter(name), names.deadLetterExchange, names.queue(name))
  await channel.assertQueue(names.formerDeadLetter(name), { durable: true, arguments: quorum })
  await channel.unbindQueue(names.formerDeadLetter(name), names.deadLetterExchange, names.queue(name))
}

async function declareQueue(channel: Channel, names: ReturnType<typeof busNames>, name: QueueName): Promise<void> {
  const deadLetterTo = (exchange: string, key: string) => ({
    'x-dead-letter-exchange': exchange,
    'x-dead-letter-routing-key': key,
    'x-dead-letter-strategy': 'at-least-once',
    'x-overflow': 'reject-publish',
  })
  await channel.assertQueue(names.queue(name), {
    durable: true,
    arguments: {
      ...quorum,
      ...deadLetterTo(names.deadLetterExchange, names.queue(name)),
      'x-delivery-limit': deliveryLimit,
    },
  })
  await channel.assertQueue(names.retry(name), {
    durable: true,
    arguments: { ...quorum, ...deadLetterTo('', names.queue(name)), 'x-message-ttl': timings.retry },
  })
}
