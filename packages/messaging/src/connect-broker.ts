import { withTimeout } from '@cobro/runtime'
import { type ChannelModel, connect } from 'amqplib'

/** How long an orderly close may take. A broker that hangs or goes away just then would never confirm it. */
export const closeTimeoutMs = 2_000

/** Connects to a broker. One that does not answer, now or later, is noticed: it would be waited for without end otherwise. */
export function connectBroker(url: string): Promise<ChannelModel> {
  return connect(withHeartbeat(url), { noDelay: true, timeout: 5_000 } as object)
}

/** Connects for one piece of work and disconnects. */
export async function withBroker<T>(url: string, work: (model: ChannelModel) => Promise<T>): Promise<T> {
  const model = await connectBroker(url)
  // What fails rejects the work in hand as well; an error that nobody hears would end the process before that is told.
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
