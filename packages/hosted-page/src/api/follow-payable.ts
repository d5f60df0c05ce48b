import type { HostedPayable } from '@cobro/contracts'
import type { HostedApi, ReadAnswer } from './hosted-api.ts'

/** As much of a browser's EventSource as is needed here. */
export interface Stream {
  addEventListener(type: 'payable' | 'error', listener: (event: { readonly data?: string }) => void): void
  close(): void
}

export interface FollowDeps {
  readonly api: Pick<HostedApi, 'read'>
  /** Opens the stream of changes. It throws where the browser has none. */
  readonly openStream: () => Stream
  /** Calls back after a while, unless it is called off. */
  readonly after: (ms: number, then: () => void) => () => void
  /** From 0 to 1. */
  readonly random: () => number
}

const pollEveryMs = 10_000
const firstWaitMs = 1000
const longestWaitMs = 30_000

/**
 * Tells a page each change of what it shows, until it is stopped: by the service's stream of events, and while that is
 * broken by asking every 10 s. The stream is opened again and again, ever less often, at least every 30 s. The only place
 * that knows how a page learns of changes.
 */
export function followPayable(deps: FollowDeps, onRead: (answer: ReadAnswer) => void): () => void {
  let stopped = false
  let stream: Stream | undefined
  let failures = 0
  let stopAsking: (() => void) | undefined
  let stopWaiting: (() => void) | undefined

  const ask = async () => {
    const answer = await deps.api.read()
    // What a stream has told meanwhile is newer than this.
    if (stopped || !stopAsking) return
    askLater()
    onRead(answer)
  }
  const askLater = () => {
    stopAsking = deps.after(pollEveryMs, () => void ask())
  }
  const tell = (data: string | undefined) => {
    const session = payableOf(data)
    if (stopped || !session) return
    failures = 0
    stopAsking = void stopAsking?.()
    onRead({ kind: 'session', session })
  }
  // The browser's own way back gives up for good at an answer such as 503, so it is not left to that.
  const reopenLater = () => {
    stream?.close()
    stream = undefined
    if (!stopAsking) askLater()
    const waitMs = Math.min(firstWaitMs * 2 ** failures++, longestWaitMs)
    // Pages that one restart cut off do not all come back at the same moment.
    stopWaiting = deps.after(waitMs * (0.5 + deps.random() / 2), open)
  }
  const open = () => {
    try {
      stream = deps.openStream()
    } catch {
      return reopenLater()
    }
    stream.addEventListener('payable', event => tell(event.data))
    stream.addEventListener('error', () => stopped || reopenLater())
  }
  // A proxy may hold a stream back without a fault: until the first message the page asks.
  askLater()
  open()
  return () => {
    stopped = true
    stream?.close()
    stopAsking?.()
    stopWaiting?.()
  }
}

function payableOf(data: string | undefined): HostedPayable | undefined {
  try {
    const read: unknown = JSON.parse(data ?? '')
    return typeof read === 'object' && read !== null && 'status' in read ? (read as HostedPayable) : undefined
  } catch {
    return undefined
  }
}
