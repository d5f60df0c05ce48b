import { type QueueName, queueNames } from '@cobro/contracts/broker'
import { withBroker } from './connect-broker.ts'
import { moveFormerDeadLetters } from './dead-letters.ts'
import { declareDeadLetterQueue, declareTopology } from './topology.ts'

/**
 * Declares the topology and a service's dead-letter queues, by default those of all services, and
 * moves the previous release's dead letters to them. A step of the service's migrate command.
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
