import { type ExchangeName, type QueueName, queueNames } from './queues.ts'

/** Full names of exchanges and queues. Namespaces let deployments or tests share a broker. */
export const busNames = (namespace: string) => ({
  exchange: (exchange: ExchangeName) => `${namespace}.${exchange}`,
  /**
   * Takes what consumers and operators move between the queues of one consumer, by `failureKeys`.
   * It is a topic exchange, since only those can limit the routing keys of a login.
   */
  retryExchange: `${namespace}.retry`,
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

/** Routing keys of the retry exchange: back to the queue at once, after the delay, or never. */
export const failureKeys = (queue: QueueName) => ({
  requeue: queue,
  retry: `${queue}.retry`,
  deadLetter: `${queue}.dead-letter`,
})

/** Returns the full names of all queues and exchanges, so that tests can delete a namespace. */
export function topologyNames(namespace: string): { queues: string[]; exchanges: string[] } {
  const names = busNames(namespace)
  const kinds = [names.queue, names.retry, names.deadLetter, names.formerDeadLetter]
  return {
    queues: queueNames.flatMap(queue => kinds.map(nameOf => nameOf(queue))),
    exchanges: [
      ...[names.exchange('events'), names.exchange('commands')],
      ...[names.deadLetterExchange, names.retryExchange, names.replyExchange],
    ],
  }
}
