import { withBroker } from './connect-broker.ts'
import { moveFormerDeadLetters } from './dead-letters.ts'
import { declareTopology } from './topology.ts'

/** Declares the topology and moves the dead letters of earlier releases: a step of the migrate command. */
export function declareBus(url: string, namespace: string): Promise<void> {
  return withBroker(url, async model => {
    const channel = await model.createConfirmChannel()
    channel.on('error', () => undefined)
    await declareTopology(channel, namespace)
    await moveFormerDeadLetters(channel, namespace)
    await channel.close()
  })
}
