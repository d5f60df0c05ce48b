import { withBroker } from './connect-broker.ts'
import { moveFormerDeadLetters } from './dead-letters.ts'
import { declareDeadLetterQueue, declareTopology, type QueueName, queueNames } from './topology.ts'

/**
 * Declares the topology and the dead-letter queues of a service's own queues, and moves the dead letters of the release before to
 * them: a step of the service's migrate command. The default is the queues of all services.
 */
export function declareBus(url: string, namespace: string, own: readonly QueueName[] = queueNames): Promise<void> {
  return withBroker(url, async model => {
    const channel = await model.createConfirmChannel()
    channel.on('error', () => undefined)
    await declareTopology(channel, namespace)
    for (const queue of own) {
      await declareDeadLetterQueue(channel, namespace, queue)
      await moveFormerDeadLetters(channel, namespace, queue)
    }
    await channel.close()
  })
}
