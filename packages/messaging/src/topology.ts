import {
  busNames,
  exchangeNames,
  exchanges,
  failureKeys,
  type QueueDeclaration,
  type QueueName,
  queueNames,
  queues,
} from '@cobro/contracts/broker'
import { timings } from '@cobro/runtime'
import type { Channel } from 'amqplib'

/** Dead-letters messages that keep crashing a consumer. Ordinary failures use the retry queue. */
const deliveryLimit = 20

/**
 * Declares all exchanges and queues except dead-letter queues, the same on RabbitMQ 3.10 and 4.
 * A step of every `migrate` command, since any service may be deployed first.
 */
export async function declareTopology(channel: Channel, namespace: string): Promise<void> {
  const names = busNames(namespace)
  for (const name of exchangeNames)
    await channel.assertExchange(names.exchange(name), exchanges[name].type, { durable: true })
  await channel.assertExchange(names.deadLetterExchange, 'direct', { durable: true })
  await channel.assertExchange(names.replyExchange, 'direct', { durable: true })
  for (const name of queueNames) {
    const { exchange, bindings, unbound = [] }: QueueDeclaration = queues[name]
    await channel.assertExchange(names.failureExchange(name), 'direct', { durable: true })
    await declareQueue(channel, names, name)
    for (const key of bindings) await channel.bindQueue(names.queue(name), names.exchange(exchange), key)
    for (const key of unbound) await channel.unbindQueue(names.queue(name), names.exchange(exchange), key)
  }
}

/**
 * Rejects unless every exchange and queue of `declareTopology` exists. Needs no rights. Every process
 * does so before its first publish: an event published before its consumer's queue exists is lost.
 */
export async function checkTopology(channel: Channel, namespace: string): Promise<void> {
  const names = busNames(namespace)
  const own = [names.deadLetterExchange, names.replyExchange, ...queueNames.map(names.failureExchange)]
  for (const exchange of [...exchangeNames.map(names.exchange), ...own]) await channel.checkExchange(exchange)
  for (const queue of queueNames.flatMap(name => [names.queue(name), names.retry(name)]))
    await channel.checkQueue(queue)
}

const quorum = { 'x-queue-type': 'quorum' }

/**
 * Declares the dead-letter queue of a consumer. Only its service's migrate command does this: if
 * other services did, the dead letters of a consumer of the release before would be in the former queue
 * too. Binds the new queue before it unbinds the former one, so that no dead letter is without a queue in between.
 */
export async function declareDeadLetterQueue(channel: Channel, namespace: string, name: QueueName): Promise<void> {
  const names = busNames(namespace)
  const deadLetterQueue = names.deadLetter(name)
  await channel.assertQueue(deadLetterQueue, { durable: true, arguments: quorum })
  await channel.bindQueue(deadLetterQueue, names.deadLetterExchange, names.queue(name))
  await channel.bindQueue(deadLetterQueue, names.failureExchange(name), failureKeys.deadLetter)
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
  await channel.bindQueue(names.queue(name), names.failureExchange(name), failureKeys.requeue)
  await channel.bindQueue(names.retry(name), names.failureExchange(name), failureKeys.retry)
}
