import { appendFileSync } from 'node:fs'
import { type Cobro, FeedGapError, type FollowedEvent, InvalidRequestError, type StoredEvent } from '@cobro/sdk'
import { CommandError, exitCodes } from '../output/failures.ts'
import { type Forwarded, forwardEvent } from './forward-event.ts'
import { nextStep } from './forward-schedule.ts'
import type { ListenReport } from './listen-report.ts'
import type { ListenState, PendingRetry } from './listen-state.ts'
import { repeatFailed, replaceRetry } from './repeat-failed.ts'

/** What is listened to, and where it goes. */
export interface Listening {
  feed: Pick<Cobro['webhookEvents'], 'follow' | 'retrieve'>
  state: ListenState
  report: ListenReport
  after: number | 'latest'
  events: readonly string[] | undefined
  matches: (event: object) => boolean
  /** The receiver; without one events are printed only. */
  url: string | undefined
  secret: string
  /** A file to append events to. */
  save: string | undefined
  /** The event to end after. */
  until: string | undefined
  /** What the delays between attempts are multiplied by; without it each event is sent once. */
  timeScale: number | undefined
}

/**
 * Forwards events until the signal aborts, or until the event to end after is delivered or given up. Returns whether that
 * event came.
 */
export async function forwardFeed(listening: Listening, signal: AbortSignal): Promise<boolean> {
  const { feed, state, report, after, events, matches, timeScale } = listening
  const ending = new AbortController()
  const stop = AbortSignal.any([signal, ending.signal])
  let reached = false
  const handle = async (event: FollowedEvent, attempt: number) => {
    if (!(await handleEvent(listening, event, { attempt, signal: stop }))) return
    reached = true
    ending.abort()
  }
  const repeating =
    timeScale === undefined
      ? undefined
      : repeatFailed({
          ...{ state, feed, signal: stop },
          send: (event, attempt) => handle(readEvent(event), attempt),
          onLost: ({ id }) => report.lost(id),
        })
  try {
    const onPage = ({ through }: { through: number }) => state.change({ sequence: through })
    const options = { after, signal: stop, onPage, ...report.connection, ...(events && { events }) }
    for await (const event of withHints(feed.follow(options))) {
      if (matches(event.event)) await handle(event, 1)
      // The position stays before an event whose forwarding was interrupted.
      if (stop.aborted) break
    }
  } finally {
    ending.abort()
    await repeating
  }
  return reached
}

/** Sends an event, stores what follows, and reports it. Returns whether it is the one to end after, and is done. */
async function handleEvent(
  { state, report, url, secret, save, until, timeScale }: Listening,
  event: FollowedEvent,
  { attempt, signal }: { attempt: number; signal: AbortSignal },
): Promise<boolean> {
  const forwarded =
    url === undefined ? undefined : await forwardEvent({ ...event, event: event.event.event }, url, { secret, signal })
  // It was not forwarded, and comes again the next time.
  if (signal.aborted) return false
  const retry = forwarded && retryOf(forwarded, event, attempt, timeScale)
  if (attempt > 1) replaceRetry(state, event.id, retry)
  else {
    const { retries } = state.current()
    state.change({ sequence: event.sequence, retries: retry ? [...retries, retry] : retries })
    if (save) appendFileSync(save, `${event.payload}\n`)
  }
  report.event(event, forwarded && { ...forwarded, ...(timeScale !== undefined && attemptOf(attempt, retry)) })
  return retry === undefined && event.event.event === until
}

function retryOf(
  forwarded: Forwarded,
  { id, sequence }: FollowedEvent,
  attempts: number,
  timeScale: number | undefined,
): PendingRetry | undefined {
  const nowMs = Date.now()
  const next = nextStep(forwarded, { attempts, timeScale, nowMs })
  return typeof next === 'object' ? { id, sequence, attempts, due_ms: nowMs + next.delayMs } : undefined
}

function attemptOf(attempt: number, retry: PendingRetry | undefined) {
  return { attempt, retry_at: retry ? new Date(retry.due_ms).toISOString() : null }
}

function readEvent(event: StoredEvent): FollowedEvent {
  // Only events of the feed are sent again.
  return { ...event, sequence: Number(event.sequence), event: JSON.parse(event.payload) }
}

/** Passes events on. Says what to do about a position from which the feed cannot be read. */
async function* withHints(feed: AsyncIterable<FollowedEvent>): AsyncGenerator<FollowedEvent> {
  try {
    yield* feed
  } catch (error) {
    if (error instanceof FeedGapError) {
      const hint = `Go on after the gap with: cobro listen --from ${error.to}`
      throw new CommandError(error.message, { exitCode: exitCodes.refused, hint })
    }
    if (!(error instanceof InvalidRequestError)) throw error
    const hint = 'Start at the newest event with: cobro listen --from now'
    throw new CommandError(error.message, { exitCode: exitCodes.refused, hint })
  }
}
