import { withTimeout } from '@cobro/runtime'
import { type ChannelModel, connect } from 'amqplib'

/** The time limit of an orderly close: a broker that hangs or dies meanwhile never confirms it. */
export const closeTimeoutMs = 2_000

/** Connects to a broker. A heartbeat and a connect timeout detect an unresponsive broker. */
export function connectBroker(url: string): Promise<ChannelModel> {
  return connect(withHeartbeat(url), { noDelay: true, timeout: 5_000 } as object)
}

/** Connects, runs `work` and disconnects. */
export async function withBroker<T>(url: string, work: (model: ChannelModel) => Promise<T>): Promise<T> {
  const model = await connectBroker(url)
  // A connection error also rejects the pending work. Without a listener the error event would end the process first.
  model.on('error', () => undefined)
  try {
    return await work(model)
  } finally {
    await withTimeout(closeTimeoutMs, model.close()).catch(() => undefined)
  }
}

function withHeartbeat(url: string): string {
  const address = new URL(url)
  if (!address.searchParams.has('heartbeat')) address.searchParams.set('heartbeat', '10')
  return address.href
}
