import type { HostedPayable } from '@cobro/contracts'
import type { HostedApi, ReadAnswer } from './hosted-api.ts'

/** The part of a browser's EventSource that is needed here. */
interface Stream {
  addEventListener(type: 'payable' | 'error', listener: (event: { readonly data?: string }) => void): void
  close(): void
}

interface FollowDeps {
  readonly api: Pick<HostedApi, 'read'>
  /** Opens the stream of changes. Throws if the browser has no EventSource. */
  readonly openStream: () => Stream
  /** Calls back after a delay; the returned function cancels it. */
  readonly after: (ms: number, then: () => void) => () => void
  /** Returns a random number from 0 to 1. */
  readonly random: () => number
}

const pollIntervalMs = 10_000
const firstDelayMs = 1000
const maxDelayMs = 30_000

/**
 * Reports changes of the payable until stopped: from the event stream, or by polling every 10 s
 * while it is broken. Reopens it with backoff of at most 30 s. No other module knows how the page learns of changes.
 */
export function followPayable(deps: FollowDeps, onRead: (answer: ReadAnswer) => void): () => void {
  let stopped = false
  let stream: Stream | undefined
  let failures = 0
  let stopPolling: (() => void) | undefined
  let stopReopening: (() => void) | undefined

  const poll = async () => {
    const answer = await deps.api.read()
    // The stream's messages that arrived meanwhile are newer than this answer.
    if (stopped || !stopPolling) return
    pollLater()
    onRead(answer)
  }
  const pollLater = () => {
    stopPolling = deps.after(pollIntervalMs, () => void poll())
  }
  const receive = (data: string | undefined) => {
    const session = payableOf(data)
    if (stopped || !session) return
    failures = 0
    stopPolling = void stopPolling?.()
    onRead({ kind: 'session', session })
  }
  // EventSource's own reconnect gives up permanently after an answer such as 503, so reconnect here.
  const reopenLater = () => {
    stream?.close()
    stream = undefined
    if (!stopPolling) pollLater()
    stopReopening = deps.after(backoffMs(failures++, deps.random()), open)
  }
  const open = () => {
    try {
      stream = deps.openStream()
    } catch {
      return reopenLater()
    }
    stream.addEventListener('payable', event => receive(event.data))
    stream.addEventListener('error', () => stopped || reopenLater())
  }
  // A proxy may buffer a stream without an error, so poll until the first message.
  pollLater()
  open()
  return () => {
    stopped = true
    stream?.close()
    stopPolling?.()
    stopReopening?.()
  }
}

/** Adds jitter, so that pages disconnected by one restart do not all reconnect at once. */
function backoffMs(failures: number, random: number): number {
  return Math.min(firstDelayMs * 2 ** failures, maxDelayMs) * (0.5 + random / 2)
}

function payableOf(data: string | undefined): HostedPayable | undefined {
  try {
    const read: unknown = JSON.parse(data ?? '')
    return typeof read === 'object' && read !== null && 'status' in read ? (read as HostedPayable) : undefined
  } catch {
    return undefined
  }
}
