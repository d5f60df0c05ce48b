import { ApiError } from '@cobro/contracts'
import type { Response } from 'express'

/** One page that is open. */
export interface StreamConnection {
  readonly id: string
  readonly response: Response
  readonly since: number
  /** Of what was shown last; undefined until something was. */
  version: string | undefined
  beatAt: number
}

const maxFollowers = 5_000
const maxOfOne = 50
/** What a page may leave unread. Whoever reads no more is cut off, since what is not read is kept in memory. */
const maxUnreadBytes = 256 * 1024
/** How long a page may take to read the last of it. */
const partingMs = 10_000

/** The pages that are open, by the session or link that they show. One that is closed or ended is forgotten at once. */
export function openStreamConnections() {
  const byId = new Map<string, Set<StreamConnection>>()
  let count = 0
  const of = (id: string) => [...(byId.get(id) ?? [])]
  const remove = (follower: StreamConnection) => {
    const there = byId.get(follower.id)
    if (!there?.delete(follower)) return
    count -= 1
    if (there.size === 0) byId.delete(follower.id)
  }
  const cut = (follower: StreamConnection) => {
    remove(follower)
    follower.response.destroy()
  }
  return {
    of,
    remove,
    ids: () => [...byId.keys()],
    all: () => [...byId.keys()].flatMap(of),
    /**
     * Takes the place of one more page, before anything is awaited for it. Connections cost memory, so there is an end to
     * them, and nobody takes all of it with one id.
     */
    add: (id: string, response: Response): StreamConnection => {
      if (count >= maxFollowers) throw new ApiError('unavailable')
      if (of(id).length >= maxOfOne) throw new ApiError('rate_limited', 'too many pages are open')
      const now = Date.now()
      const follower = { id, response, since: now, version: undefined, beatAt: now }
      byId.set(id, (byId.get(id) ?? new Set()).add(follower))
      count += 1
      response.once('close', () => remove(follower))
      response.on('error', () => cut(follower))
      return follower
    },
    write: (follower: StreamConnection, text: string) => {
      const { response } = follower
      if (response.writableEnded || response.destroyed) return remove(follower)
      if (response.writableLength > maxUnreadBytes) return cut(follower)
      follower.beatAt = Date.now()
      response.write(text)
    },
    end: (follower: StreamConnection) => {
      remove(follower)
      const { response } = follower
      if (response.writableEnded) return
      response.end()
      const parting = setTimeout(() => response.destroy(), partingMs).unref()
      response.once('close', () => clearTimeout(parting))
    },
  }
}

export type StreamConnections = ReturnType<typeof openStreamConnections>
