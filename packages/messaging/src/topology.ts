import { commands, type EventDeclaration, events, webhookCatalog } from '@cobro/contracts'
import type { Channel } from 'amqplib'

/** A service's queue on one exchange, and what is routed to it. */
interface QueueDeclaration {
  exchange: 'events' | 'commands'
  bindings: string[]
  /** What an earlier release bound: a binding stays until somebody takes it away. */
  unbound?: string[]
}

const consumedBy = (service: string) =>
  Object.entries(events as Record<string, EventDeclaration>)
    .filter(([, event]) => (event.consumers as readonly string[]).includes(service))
    .map(([name]) => name)

/** A test goes to its one endpoint by itself. It is published for the audit log, and the dispatcher does not hear it. */
const test = 'webhook.test'

/** Every queue of the system, by the name it has behind the namespace. All of it follows from the contracts. */
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

/** A fuse against a message that kills its consumer again and again, not a retry policy: that is the retry queue's. */
const deliveryLimit = 20
const retryDelayMs = 5_000

/** The full names of exchanges and queues under a namespace, so that several deployments or tests share a broker. */
export const busNames = (namespace: string) => ({
  exchange: (road: 'events' | 'commands' | 'parking') => `${namespace}.${road}`,
  queue: (queue: QueueName) => `${namespace}.${queue}`,
  retry: (queue: QueueName) => `${namespace}.${queue}.retry`,
  parked: (queue: QueueName) => `${namespace}.${queue}.parked`,
})

/** The full names of everything that `declareTopology` makes, for who takes a namespace down again. */
export function topologyNames(namespace: string): { queues: string[]; exchanges: string[] } {
  const names = busNames(namespace)
  const ofQueue = (queue: QueueName) => [names.queue(queue), names.retry(queue), names.parked(queue)]
  return {
    queues: (Object.keys(queues) as QueueName[]).flatMap(ofQueue),
    exchanges: (['events', 'commands', 'parking'] as const).map(names.exchange),
  }
}

/**
 * Declares the whole topology. Every process does this before its first publish, because an event that is published before
 * its consumer's queue exists is lost without a trace. Arguments are the same on RabbitMQ 3.10 and 4.
 */
export async function declareTopology(channel: Channel, namespace: string): Promise<void> {
  const names = busNames(namespace)
  await channel.assertExchange(names.exchange('events'), 'topic', { durable: true })
  await channel.assertExchange(names.exchange('commands'), 'topic', { durable: true })
  await channel.assertExchange(names.exchange('parking'), 'direct', { durable: true })
  for (const [name, { exchange, bindings, unbound = [] }] of Object.entries(queues) as [
    QueueName,
    QueueDeclaration,
  ][]) {
    await declareQueue(channel, names, name)
    for (const key of bindings) await channel.bindQueue(names.queue(name), names.exchange(exchange), key)
    for (const key of unbound) await channel.unbindQueue(names.queue(name), names.exchange(exchange), key)
  }
}

async function declareQueue(channel: Channel, names: ReturnType<typeof busNames>, name: QueueName): Promise<void> {
  const quorum = { 'x-queue-type': 'quorum' }
  const deadLetter = (exchange: string, key: string) => ({
    'x-dead-letter-exchange': exchange,
    'x-dead-letter-routing-key': key,
    'x-dead-letter-strategy': 'at-least-once',
    'x-overflow': 'reject-publish',
  })
  await channel.assertQueue(names.parked(name), { durable: true, arguments: quorum })
  await channel.bindQueue(names.parked(name), names.exchange('parking'), names.queue(name))
  await channel.assertQueue(names.queue(name), {
    durable: true,
    arguments: {
      ...quorum,
      ...deadLetter(names.exchange('parking'), names.queue(name)),
      'x-delivery-limit': deliveryLimit,
    },
  })
  await channel.assertQueue(names.retry(name), {
    durable: true,
    arguments: { ...quorum, ...deadLetter('', names.queue(name)), 'x-message-ttl': retryDelayMs },
  })
}
