import { appendFileSync, closeSync, openSync } from 'node:fs'
import { type Cobro, FeedGapError, type FollowedEvent, InvalidRequestError, type StoredEvent } from '@cobro/sdk'
import { CommandError, exitCodes } from '../output/failures.ts'
import { type Forwarded, forwardEvent } from './forward-event.ts'
import { nextStep } from './forward-schedule.ts'
import type { ListenReport } from './listen-report.ts'
import type { ListenState, PendingRetry } from './listen-state.ts'
import { repeatFailed, withRetry } from './repeat-failed.ts'

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
  /** The path of a file to append events to. */
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
  const saved = listening.save === undefined ? undefined : openSaved(listening.save)
  const ending = new AbortController()
  const stop = AbortSignal.any([signal, ending.signal])
  let reached = false
  const handle = async (event: FollowedEvent, attempt: number) => {
    if (!(await handleEvent(listening, event, { attempt, saved, signal: stop }))) return
    reached = true
    ending.abort()
  }
  const repeating = repeat(listening, handle, stop).catch((error: unknown) => {
    ending.abort()
    return { error }
  })
  try {
    await followFeed(listening, handle, stop)
  } finally {
    ending.abort()
    await repeating
    if (saved !== undefined) closeSync(saved)
  }
  const failed = await repeating
  if (failed) throw failed.error
  return reached
}

type Handle = (event: FollowedEvent, attempt: number) => Promise<void>

async function followFeed(listening: Listening, handle: Handle, signal: AbortSignal): Promise<void> {
  const { feed, state, report, after, events, matches } = listening
  const onPage = ({ through }: { through: number }) => {
    if (through !== state.current().sequence) state.change({ sequence: through })
  }
  const options = { after, signal, onPage, ...report.connection, ...(events && { events }) }
  for await (const event of withHints(feed.follow(options))) {
    if (matches(event.event)) await handle(event, 1)
    // The position stays before an event whose forwarding was interrupted.
    if (signal.aborted) return
  }
}

async function repeat(
  { feed, state, report, timeScale }: Listening,
  handle: Handle,
  signal: AbortSignal,
): Promise<void> {
  if (timeScale === undefined) return
  const send = (event: StoredEvent, attempt: number) => handle(readEvent(event), attempt)
  await repeatFailed({ ...{ state, feed, signal, send }, onLost: ({ id }) => report.lost(id) })
}

function openSaved(path: string): number {
  try {
    return openSync(path, 'a', 0o600)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new CommandError(`Cannot write to ${path}: ${reason}.`)
  }
}

interface Attempt {
  attempt: number
  /** The file to append the event to. */
  saved: number | undefined
  signal: AbortSignal
}

/** Sends an event, stores what follows, and reports it. Returns whether it is the one to end after, and is done. */
async function handleEvent(
  { state, report, url, secret, until, timeScale }: Listening,
  event: FollowedEvent,
  { attempt, saved, signal }: Attempt,
): Promise<boolean> {
  const forwarded =
    url === undefined ? undefined : await forwardEvent({ ...event, event: event.event.event }, url, { secret, signal })
  // It was not forwarded, and comes again the next time.
  if (signal.aborted) return false
  const retry = forwarded && retryOf(forwarded, event, attempt, timeScale)
  if (attempt === 1 && saved !== undefined) appendFileSync(saved, `${event.payload}\n`)
  state.change({
    ...(attempt === 1 && { sequence: event.sequence }),
    // A run without retries leaves those of earlier runs.
    ...(timeScale !== undefined && { retries: withRetry(state.current().retries, event.id, retry) }),
  })
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
