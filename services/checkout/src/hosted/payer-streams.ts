import { ApiError, hostedPayable } from '@cobro/contracts'
import { tellGateway } from '@cobro/http'
import { type Logger, runConcurrently, startInterval } from '@cobro/runtime'
import type { Response } from 'express'
import { z } from 'zod'
import { findPayableVersions } from './payable-versions.ts'
import { type PayerViewDeps, readPayerView } from './payer-view.ts'
import { openStreamConnections, type StreamConnection, type StreamConnections } from './stream-connections.ts'

/** Those who follow a session or link: payers' pages that are open. */
export interface PayerStreams {
  /** Shows a payer what the page shows, at once and whenever it changes. The stream ends with the final state. */
  follow(id: string, response: Response): Promise<void>
  /** Ends every stream, and takes no other. Pages then ask from time to time, and come back. */
  stop(): Promise<void>
}

const lookEveryMs = 400
const concurrency = 8
/** Proxies cut what is silent for long. */
const beatEveryMs = 15_000
/** A stream does not last for ever: its page opens another, maybe at another replica. */
const longestMs = 600_000
const retryMs = 2_000
const streamHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
}

/**
 * Looks every moment for changes of all that is followed here, with one query however many follow. A notice from the
 * database to each replica would be quicker and was measured to take more than half of the throughput of writes.
 */
export function openPayerStreams(deps: PayerViewDeps & { logger: Logger }): PayerStreams {
  const { db, logger } = deps
  const followers = openStreamConnections()
  let stopped = false
  const look = async () => {
    const ids = followers.ids()
    if (ids.length === 0) return
    const versions = await findPayableVersions(db, ids)
    await runConcurrently(ids, { concurrency, name: 'tell payers', logger }, id =>
      tellChange(deps, followers, { id, version: versions.get(id) }),
    )
    for (const follower of followers.all()) beat(followers, follower)
  }
  const looking = startInterval(lookEveryMs, 'tell payers', look, logger)

  return {
    follow: async (id, response) => {
      if (stopped) throw new ApiError('unavailable')
      const follower = followers.add(id, response)
      try {
        // Before the state is read: a change in between is told once more, and not missed.
        const version = (await findPayableVersions(db, [id])).get(id) ?? ''
        const shown = await readPayerView(deps, id)
        tellGateway(response)
        response.set(streamHeaders)
        if (response.req.method === 'HEAD') return followers.end(follower)
        followers.write(follower, `retry: ${retryMs}\n${message(shown)}`)
        follower.version = version
        if (shown.status !== 'pending' || stopped) followers.end(follower)
      } catch (error) {
        followers.remove(follower)
        throw error
      }
    },
    stop: async () => {
      stopped = true
      await looking.stop()
      for (const follower of followers.all()) followers.end(follower)
    },
  }
}

/** Those who have been shown nothing yet are about to be. */
async function tellChange(
  deps: PayerViewDeps,
  followers: StreamConnections,
  { id, version }: { id: string; version: string | undefined },
): Promise<void> {
  const isBehind = (follower: StreamConnection) => follower.version !== undefined && follower.version !== version
  if (version === undefined || !followers.of(id).some(isBehind)) return
  const shown = await readPayerView(deps, id)
  for (const follower of followers.of(id).filter(isBehind)) {
    follower.version = version
    followers.write(follower, message(shown))
    if (shown.status !== 'pending') followers.end(follower)
  }
}

function beat(followers: StreamConnections, follower: StreamConnection): void {
  const now = Date.now()
  if (now - follower.since > longestMs) followers.end(follower)
  else if (now - follower.beatAt > beatEveryMs && follower.version !== undefined) followers.write(follower, ':\n\n')
}

function message(shown: z.output<typeof hostedPayable>): string {
  return `event: payable\ndata: ${JSON.stringify(z.encode(hostedPayable, shown))}\n\n`
}
