import type { MerchantMethods } from './generated/merchant-methods.ts'
import type { EventFeedPage, FeedEvent, ListWebhookEventsParams, WebhookEvent } from './generated/types.ts'
import { ApiError, type CobroError, ConnectionError, FeedGapError, TimeoutError } from './transport/errors.ts'
import type { CallOptions } from './transport/options.ts'
import { pause, pauseMs } from './transport/retries.ts'

/** An event of the feed, with its payload read. */
export interface FollowedEvent extends Omit<FeedEvent, 'event'> {
  event: WebhookEvent
}

export interface FollowOptions {
  /** The sequence after which to read; `latest` for what is new. By default from the oldest event that is kept. */
  after?: number | 'latest'
  /** Names or groups, such as `payment.*`. By default all. */
  events?: readonly string[]
  /** Ends the iteration. */
  signal?: AbortSignal
  /** Called when the feed answers, first and after each time that it could not be reached. */
  onConnected?: (page: EventFeedPage) => void
  /** Called when all events of a page were handled: its `through` is the position to go on from, also where nothing matched. */
  onPage?: (page: EventFeedPage) => void
  /** Called when the feed cannot be reached. The iteration goes on by itself. */
  onDisconnected?: (error: CobroError) => void
}

export interface ReconcileOptions {
  /** The sequence after which to look. */
  after: number
  /** The last sequence to look at. */
  through: number
  /** Whether the receiver has seen an event. */
  seen: (event: FollowedEvent) => boolean | Promise<boolean>
  signal?: AbortSignal
}

type Reader = Pick<MerchantMethods['webhookEvents'], 'list'>

export type EventFeed = MerchantMethods['webhookEvents'] & {
  /**
   * Iterates over events as they happen, without end. Store the `sequence` of each that you have handled, and pass it as
   * `after` to go on. Waits while the API cannot be reached. Throws a `FeedGapError` if events are missing.
   */
  follow(options?: FollowOptions): AsyncGenerator<FollowedEvent, void>
  /**
   * Iterates over the events of a range that the receiver has not seen. Throws a `FeedGapError` if events are missing, and a
   * `RangeError` if the feed does not reach that far.
   */
  reconcile(options: ReconcileOptions): AsyncGenerator<FollowedEvent, void>
}

const waitSeconds = 20
const pageSize = 200

/** Adds to a client the two ways of reading the feed. */
export function withFeed<Methods extends { readonly webhookEvents: Reader }>(
  client: Methods,
): Methods & { readonly webhookEvents: EventFeed } {
  const { webhookEvents } = client
  const ways = {
    follow: (options: FollowOptions = {}) => follow(webhookEvents, options),
    reconcile: (options: ReconcileOptions) => reconcile(webhookEvents, options),
  }
  return { ...client, webhookEvents: { ...(webhookEvents as MerchantMethods['webhookEvents']), ...ways } }
}

async function* follow(reader: Reader, options: FollowOptions): AsyncGenerator<FollowedEvent, void> {
  const { events, signal } = options
  let { after } = options
  const state = { connected: false, failures: 0 }
  for (;;) {
    const page = await nextPage(reader, { ...options, after }, state)
    if (page === undefined) return
    if (events === undefined) checkContinuous(page)
    for (const event of page.data) {
      if (signal?.aborted) return
      yield read(event)
    }
    options.onPage?.(page)
    after = page.through
  }
}

/** Throws if a page of all events lacks one of its range. */
function checkContinuous({ data, after, through }: EventFeedPage): void {
  const sequences = [...data.map(({ sequence }) => sequence), through + 1]
  let last = after
  for (const sequence of sequences) {
    if (sequence !== last + 1) throw new FeedGapError(last + 1, sequence - 1)
    last = sequence
  }
}

/** Reads a page until that works. Resolves with undefined when the signal aborts. */
async function nextPage(
  reader: Reader,
  options: FollowOptions,
  state: { connected: boolean; failures: number },
): Promise<EventFeedPage | undefined> {
  const { after, events, signal, onConnected, onDisconnected } = options
  const query = { limit: pageSize, after, events }
  while (!signal?.aborted) {
    try {
      // The first call is answered at once, which shows that the feed can be reached.
      const params = state.connected ? { ...query, wait: waitSeconds } : query
      const page = await readPage(reader, params, { ...waiting, ...(signal && { signal }) })
      if (!state.connected) onConnected?.(page)
      else state.failures = 0
      state.connected = true
      return page
    } catch (error) {
      if (signal?.aborted) return
      if (!isPassing(error)) throw error
      if (state.connected || state.failures === 0) onDisconnected?.(error)
      state.connected = false
      const delayMs = Math.min(longestPauseMs, pauseMs(++state.failures, error))
      await pause(delayMs, signal).catch(() => undefined)
    }
  }
  return undefined
}

/** Each call waits for up to 20 s, and its repetition is up to the reader. */
const waiting: CallOptions = { maxRetries: 0, timeoutMs: 45_000, deadlineMs: 45_000 }
const longestPauseMs = 60_000

function isPassing(error: unknown): error is CobroError {
  if (error instanceof ApiError) return [408, 429].includes(error.status) || error.status >= 500
  return error instanceof ConnectionError || error instanceof TimeoutError
}

/** Reads a page. Throws a `FeedGapError` if its start is no longer kept. */
async function readPage(reader: Reader, params: ListWebhookEventsParams, options: CallOptions): Promise<EventFeedPage> {
  try {
    return await reader.list(params, options)
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'gone')) throw error
    const { signal } = options
    const { floor } = await reader.list({ limit: 1 }, signal ? { signal } : {})
    throw new FeedGapError(Number(params.after) + 1, floor - 1)
  }
}

async function* reconcile(reader: Reader, options: ReconcileOptions): AsyncGenerator<FollowedEvent, void> {
  const { through, seen, signal } = options
  for (let { after } = options; after < through; ) {
    const limit = Math.min(pageSize, through - after)
    const page = await readPage(reader, { after, limit }, signal ? { signal } : {})
    checkContinuous(page)
    for (const event of page.data.map(read)) if (!(await seen(event))) yield event
    if (page.through === after) throw new RangeError(`The feed ends at ${after}, before ${through}.`)
    after = page.through
  }
}

function read(event: FeedEvent): FollowedEvent {
  return { ...event, event: JSON.parse(event.payload) as WebhookEvent }
}
