import { FeedGapError, type FollowedEvent, InvalidRequestError } from '@cobro/sdk/admin'
import { useEffect, useRef } from 'react'
import { cobroOf, queries } from './cobro.ts'
import { pause, seen, untilHidden } from './page-visibility.ts'
import { useMe } from './use-me.ts'

/** What the tabs of a browser need to know of an event. */
export interface LiveEvent {
  /** Its number in the merchant's feed. */
  sequence: number
  name: string
  correlationId: string | null
}

/** The sequence after which to follow; `latest` before it is known. */
interface Position {
  after: number | 'latest'
}

const channelName = 'cobro.live'
const retryMs = 30_000

/**
 * Calls back for each event of the scope's merchant. Of all tabs of the browser that are looked at, one follows the feed and
 * passes the events on; what happened meanwhile comes once a tab is looked at again. Operators of all merchants have no feed,
 * and some users may not read it.
 */
export function useLiveEvents(scope: string, onEvent: (event: LiveEvent) => void): void {
  const { may } = useMe()
  const mayFollow = may('listWebhookEvents')
  const handler = useRef(onEvent)
  useEffect(() => {
    handler.current = onEvent
  })
  useEffect(() => {
    if (scope === 'all' || !mayFollow) return undefined
    const stop = new AbortController()
    const channel = new BroadcastChannel(`${channelName}.${scope}`)
    const position: Position = { after: 'latest' }
    const receive = (event: LiveEvent) => {
      if (position.after !== 'latest') {
        // A tab that was hidden for longer repeats what this one knows.
        if (event.sequence <= position.after) return
        // One that was opened later has not read what happened before.
        if (event.sequence > position.after + 1) readAgain(scope)
      }
      position.after = event.sequence
      handler.current(event)
    }
    channel.onmessage = ({ data }: MessageEvent<LiveEvent>) => receive(data)
    const pass = (event: LiveEvent) => {
      receive(event)
      channel.postMessage(event)
    }
    void followWhileSeen(scope, stop.signal, position, pass)
    return () => {
      stop.abort()
      channel.close()
    }
  }, [scope, mayFollow])
}

type Pass = (event: LiveEvent) => void

/** Follows whenever the page is looked at. A page in the background leaves it to the others. */
async function followWhileSeen(scope: string, signal: AbortSignal, position: Position, pass: Pass): Promise<void> {
  await findStart(scope, signal, position)
  while (!signal.aborted) {
    await seen(signal)
    const here = untilHidden(signal)
    await whileLeading(scope, here, () => follow(scope, here, position, pass))
  }
}

/** Reads again what is shown, as anything may have changed. */
function readAgain(scope: string): void {
  void queries.invalidateQueries({ queryKey: [scope] })
}

/** Notes where the feed ends now: it may be long until this page is the one that follows. */
async function findStart(scope: string, signal: AbortSignal, position: Position): Promise<void> {
  const page = await cobroOf(scope)
    .webhookEvents.list({ after: 'latest', limit: 1 }, { signal })
    .catch(() => undefined)
  if (page && position.after === 'latest') position.after = page.through
}

/** Runs work once no other tab does so for this scope. Without locks, as over plain http, every tab does it. */
async function whileLeading(scope: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  if (!navigator.locks) return work()
  // Rejects when the page is left before its turn.
  await navigator.locks.request(`${channelName}.${scope}`, { signal }, work).catch(() => undefined)
}

async function follow(scope: string, signal: AbortSignal, position: Position, pass: Pass): Promise<void> {
  const onPage = ({ through }: { through: number }) => {
    position.after = through
  }
  while (!signal.aborted) {
    try {
      for await (const event of cobroOf(scope).webhookEvents.follow({ ...position, signal, onPage }))
        pass(liveEventOf(event))
    } catch (error) {
      // Away for longer than events are kept, or the feed was restored from a backup.
      if (error instanceof FeedGapError || error instanceof InvalidRequestError) {
        position.after = 'latest'
        readAgain(scope)
      }
      // Nothing depends on the others: the screen still shows what it has read, and reads it again when asked to.
      await pause(retryMs, signal)
    }
  }
}

const liveEventOf = ({ sequence, event, correlation_id }: FollowedEvent): LiveEvent => ({
  sequence,
  name: event.event,
  correlationId: correlation_id,
})
