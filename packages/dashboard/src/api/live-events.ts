import type { FollowedEvent } from '@cobro/sdk/admin'
import { useEffect, useRef } from 'react'
import { cobroOf } from './cobro.ts'
import { useMe } from './use-me.ts'

/** What the tabs of a browser need to know of an event. */
export interface LiveEvent {
  name: string
  correlationId: string | null
}

const channelName = 'cobro.live'
const retryMs = 30_000

/**
 * Calls back for each event of the scope's merchant, while the page is looked at. Of all tabs of the browser one follows
 * the feed and passes the events on. Operators of all merchants have no feed, and some users may not read it.
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
    const channel = new BroadcastChannel(`${channelName}.${scope}`)
    channel.onmessage = ({ data }: MessageEvent<LiveEvent>) => handler.current(data)
    const stop = new AbortController()
    const pass = (event: LiveEvent) => {
      handler.current(event)
      channel.postMessage(event)
    }
    void followWhileSeen(scope, stop.signal, pass)
    return () => {
      stop.abort()
      channel.close()
    }
  }, [scope, mayFollow])
}

/** Follows whenever the page is looked at. A page in the background leaves it to the others. */
async function followWhileSeen(scope: string, signal: AbortSignal, pass: (event: LiveEvent) => void): Promise<void> {
  while (!signal.aborted) {
    await seen(signal)
    const here = untilHidden(signal)
    await whileLeading(scope, here, () => follow(scope, here, pass))
  }
}

/** Runs work once no other tab does so for this scope. Without locks, as over plain http, every tab does it. */
async function whileLeading(scope: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  if (!navigator.locks) return work()
  // Rejects when the page is left before its turn.
  await navigator.locks.request(`${channelName}.${scope}`, { signal }, work).catch(() => undefined)
}

async function follow(scope: string, signal: AbortSignal, pass: (event: LiveEvent) => void): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const event of cobroOf(scope).webhookEvents.follow({ after: 'latest', signal }))
        pass(liveEventOf(event))
    } catch {
      // Nothing depends on it: the screen still shows what it has read, and reads it again when asked to.
      await pause(signal)
    }
  }
}

const liveEventOf = ({ event, correlation_id }: FollowedEvent): LiveEvent => ({
  name: event.event,
  correlationId: correlation_id,
})

/** Resolves once the page is looked at. */
function seen(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const check = () => (document.visibilityState === 'visible' || signal.aborted) && resolve()
    document.addEventListener('visibilitychange', check, { signal })
    signal.addEventListener('abort', check, { once: true })
    check()
  })
}

/** Returns a signal that ends when the page is no longer looked at. */
function untilHidden(signal: AbortSignal): AbortSignal {
  const hidden = new AbortController()
  const check = () => document.visibilityState === 'hidden' && hidden.abort()
  document.addEventListener('visibilitychange', check, { signal })
  return AbortSignal.any([signal, hidden.signal])
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, retryMs)
    signal.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true })
  })
}
