import type { MerchantMethods } from './generated/merchant-methods.ts'
import type { EventFeedPage, FeedEvent, WebhookEvent } from './generated/types.ts'
import { ApiError, type CobroError, ConnectionError, FeedGapError, TimeoutError } from './transport/errors.ts'
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
  /** Iterates over the events of a range that the receiver has not seen. */
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
  let after = options.after
  const state = { connected: false }
  for (;;) {
    const page = await nextPage(reader, { ...options, after }, state)
    if (page === undefined) return
    let last = page.after
    for (const event of page.data) {
      if (events === undefined && event.sequence !== last + 1) throw new FeedGapError(last + 1, event.sequence - 1)
      last = event.sequence
      if (signal?.aborted) return
      yield read(event)
    }
    after = page.through
  }
}

/** Reads a page until that works. Resolves with undefined when the signal aborts. */
async function nextPage(
  reader: Reader,
  options: FollowOptions,
  state: { connected: boolean },
): Promise<EventFeedPage | undefined> {
  const { after, events, signal, onConnected, onDisconnected } = options
  const query = { limit: pageSize, after, events: events?.join(',') }
  for (let failures = 0; !signal?.aborted; ) {
    try {
      // The first call is answered at once, which shows that the feed can be reached.
      const params = state.connected ? { ...query, wait: waitSeconds } : query
      const page = await reader.list(params, { ...(signal && { signal }), maxRetries: 0, timeoutMs: 45_000 })
      if (!state.connected) onConnected?.(page)
      state.connected = true
      return page
    } catch (error) {
      if (signal?.aborted) return
      if (error instanceof ApiError && error.code === 'gone') throw await gapAfter(reader, after)
      if (!isPassing(error)) throw error
      if (state.connected || failures === 0) onDisconnected?.(error)
      state.connected = false
      await pause(pauseMs(++failures, error), signal).catch(() => undefined)
    }
  }
  return undefined
}

function isPassing(error: unknown): error is CobroError {
  if (error instanceof ApiError) return error.status === 429 || error.status >= 500
  return error instanceof ConnectionError || error instanceof TimeoutError
}

async function gapAfter(reader: Reader, after: FollowOptions['after']): Promise<FeedGapError> {
  const { floor } = await reader.list({ limit: 1 })
  return new FeedGapError(Number(after) + 1, floor - 1)
}

async function* reconcile(reader: Reader, options: ReconcileOptions): AsyncGenerator<FollowedEvent, void> {
  const { through, seen, signal } = options
  for (let after = options.after; after < through; ) {
    const page = await reader.list({ after, limit: Math.min(pageSize, through - after) }, signal ? { signal } : {})
    for (const event of page.data.map(read)) {
      if (event.sequence <= through && !(await seen(event))) yield event
    }
    // The feed does not reach that far yet.
    if (page.through === after) return
    after = page.through
  }
}

function read(event: FeedEvent): FollowedEvent {
  return { ...event, event: JSON.parse(event.payload) as WebhookEvent }
}
