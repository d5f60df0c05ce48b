import { ApiError, hostedPayable } from '@cobro/contracts'
import { tellGateway } from '@cobro/http'
import { each, every, type Logger } from '@cobro/runtime'
import type { Response } from 'express'
import { z } from 'zod'
import { type Follower, openFollowers } from './followers.ts'
import { readVersions } from './payable-versions.ts'
import { type ShowDeps, showChange } from './show-payable.ts'

/** Those who follow a session or link: payers' pages that are open. */
export interface PayerStreams {
  /** Shows a payer what the page shows, at once and whenever it changes. The stream ends with the final state. */
  follow(id: string, response: Response): Promise<void>
  /** Ends every stream, and takes no other. Pages then ask from time to time, and come back. */
  stop(): Promise<void>
}

const lookEveryMs = 400
const atOnce = 8
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
export function openPayerStreams(deps: ShowDeps & { logger: Logger }): PayerStreams {
  const { db, logger } = deps
  const followers = openFollowers()
  let stopped = false
  const look = async () => {
    const ids = followers.ids()
    if (ids.length === 0) return
    const versions = await readVersions(db, ids)
    await each(ids, { atOnce, name: 'tell payers', logger }, id =>
      tellChange(deps, { id, version: versions.get(id), followers: followers.of(id) }),
    )
    for (const follower of followers.all()) beat(follower, Date.now())
  }
  const looking = every(lookEveryMs, 'tell payers', look, logger)

  return {
    follow: async (id, response) => {
      if (stopped) throw new ApiError('unavailable')
      followers.refuseTooMany(id)
      // Before the state is read: a change in between is told once more, and not missed.
      const version = (await readVersions(db, [id])).get(id) ?? ''
      const shown = await showChange(deps, id)
      tellGateway(response)
      response.set(streamHeaders)
      response.write(`retry: ${retryMs}\n${message(shown)}`)
      if (shown.status !== 'pending' || stopped || response.closed) return void response.end()
      followers.add(id, { response, version, beatAt: Date.now(), since: Date.now() })
    },
    stop: async () => {
      stopped = true
      await looking.stop()
      for (const { response } of followers.all()) response.end()
    },
  }
}

interface Change {
  id: string
  version: string | undefined
  followers: readonly Follower[]
}

async function tellChange(deps: ShowDeps, { id, version, followers }: Change): Promise<void> {
  const behind = followers.filter(follower => follower.version !== version)
  if (version === undefined || behind.length === 0) return
  const shown = await showChange(deps, id)
  for (const follower of behind) {
    follower.version = version
    follower.beatAt = Date.now()
    follower.response.write(message(shown))
    if (shown.status !== 'pending') follower.response.end()
  }
}

function beat(follower: Follower, now: number): void {
  if (now - follower.since > longestMs) follower.response.end()
  else if (now - follower.beatAt > beatEveryMs) {
    follower.beatAt = now
    follower.response.write(':\n\n')
  }
}

function message(shown: z.output<typeof hostedPayable>): string {
  return `event: payable\ndata: ${JSON.stringify(z.encode(hostedPayable, shown))}\n\n`
}
