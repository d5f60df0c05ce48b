import { ApiError } from '@cobro/contracts'
import type { Response } from 'express'

/** One page that is open. */
export interface Follower {
  response: Response
  /** Of what was shown last. */
  version: string
  beatAt: number
  since: number
}

const maxFollowers = 5_000
const maxOfOne = 50

/** The pages that are open, by the session or link that they show. One that is closed is forgotten. */
export function openFollowers() {
  const byId = new Map<string, Set<Follower>>()
  let count = 0
  const of = (id: string) => [...(byId.get(id) ?? [])]
  const remove = (id: string, follower: Follower) => {
    const there = byId.get(id)
    if (!there?.delete(follower)) return
    count -= 1
    if (there.size === 0) byId.delete(id)
  }
  return {
    of,
    ids: () => [...byId.keys()],
    all: () => [...byId.keys()].flatMap(of),
    add: (id: string, follower: Follower) => {
      byId.set(id, (byId.get(id) ?? new Set()).add(follower))
      count += 1
      follower.response.once('close', () => remove(id, follower))
    },
    /** Connections cost memory, so there is an end to them, and nobody takes all of it with one id. */
    refuseTooMany: (id: string) => {
      if (count >= maxFollowers) throw new ApiError('unavailable')
      if (of(id).length >= maxOfOne) throw new ApiError('rate_limited', 'too many pages are open')
    },
  }
}
