import { type ExchangeName, exchangeNames, type QueueName, queueNames } from './queues.ts'

/** Full names of exchanges and queues. Namespaces let deployments or tests share a broker. */
export const busNames = (namespace: string) => ({
  exchange: (exchange: ExchangeName) => `${namespace}.${exchange}`,
  /**
   * Takes what a consumer or an operator moves between the queues of one consumer, by `failureKeys`.
   * Each consumer has its own, because a login that may publish to an exchange reaches every queue
   * bound to it: topic permissions do not apply to the routing keys in the headers CC and BCC.
   */
  failureExchange: (queue: QueueName) => `${namespace}.${queue}.failures`,
  /** Takes replies to commands, by the name of the queue that `reply` returns. */
  replyExchange: `${namespace}.replies`,
  /**
   * Routes dead letters by the name of their queue. It is called `parking` because the queues name
   * it in `x-dead-letter-exchange`, an argument that RabbitMQ cannot change on an existing queue.
   */
  deadLetterExchange: `${namespace}.parking`,
  queue: (queue: QueueName) => `${namespace}.${queue}`,
  retry: (queue: QueueName) => `${namespace}.${queue}.retry`,
  deadLetter: (queue: QueueName) => `${namespace}.${queue}.dead-letter`,
  /** The exclusive queue of one command client. */
  reply: (client: string) => `${namespace}.replies.${client}`,
  /**
   * Where the release before kept dead letters. Its replicas use it during a rolling deployment;
   * the next release deletes it.
   */
  formerDeadLetter: (queue: QueueName) => `${namespace}.${queue}.parked`,
})

/** Routing keys of a failure exchange: back to the queue at once, after the delay, or never. */
export const failureKeys = { requeue: 'requeue', retry: 'retry', deadLetter: 'dead-letter' } as const

/** Returns the full names of all queues and exchanges, so that tests can delete a namespace. */
export function topologyNames(namespace: string): { queues: string[]; exchanges: string[] } {
  const names = busNames(namespace)
  const kinds = [names.queue, names.retry, names.deadLetter, names.formerDeadLetter]
  return {
    queues: queueNames.flatMap(queue => kinds.map(nameOf => nameOf(queue))),
    exchanges: [
      ...exchangeNames.map(names.exchange),
      ...[names.deadLetterExchange, names.replyExchange, ...queueNames.map(names.failureExchange)],
    ],
  }
}
