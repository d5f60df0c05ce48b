import { withBroker } from './connect-broker.ts'
import { declareTopology } from './topology.ts'

/** Declares the topology once and disconnects: a step of the migrate command. */
export function declareBus(url: string, namespace: string): Promise<void> {
  return withBroker(url, async model => {
    const channel = await model.createChannel()
    channel.on('error', () => undefined)
    await declareTopology(channel, namespace)
    await channel.close()
  })
}
