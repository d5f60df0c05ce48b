import { connect } from 'amqplib'
import { declareTopology } from './topology.ts'

/** Declares the topology once and disconnects: a step of the migrate command. */
export async function declareBus(url: string, namespace: string): Promise<void> {
  const model = await connect(url, { noDelay: true } as object)
  try {
    const channel = await model.createChannel()
    await declareTopology(channel, namespace)
    await channel.close()
  } finally {
    await model.close()
  }
}
