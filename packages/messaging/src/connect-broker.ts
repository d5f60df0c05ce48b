import { withTimeout } from '@cobro/runtime'
import { type ChannelModel, connect } from 'amqplib'

/** Time limit of an orderly close. A broker that hangs or goes away during the close never confirms it. */
export const closeTimeoutMs = 2_000

/** Connects to a broker, with a heartbeat and a connect timeout so that an unresponsive broker is detected. */
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
