import { ApiError, type PayableId } from '@cobro/contracts'
import type { Response } from 'express'

/** The connection of one open page. */
export interface StreamConnection {
  readonly id: PayableId
  readonly response: Response
  readonly openedAt: number
  /** The version of the last view that was sent; undefined before the first. */
  version: string | undefined
  lastWriteAt: number
}

const maxConnections = 5_000
const maxConnectionsPerId = 50
/** The unread bytes after which a connection is destroyed, because they stay in memory. */
const maxUnreadBytes = 256 * 1024
/** How long a page may take to read the rest after its stream has ended. */
const endTimeoutMs = 10_000

/** Opens a registry of open pages' connections by session or link id. Drops closed ones at once. */
export function openStreamConnections() {
  const byId = new Map<StreamConnection['id'], Set<StreamConnection>>()
  let count = 0
  const of = (id: StreamConnection['id']) => [...(byId.get(id) ?? [])]
  const remove = (connection: StreamConnection) => {
    const sameId = byId.get(connection.id)
    if (!sameId?.delete(connection)) return
    count -= 1
    if (sameId.size === 0) byId.delete(connection.id)
  }
  const destroy = (connection: StreamConnection) => {
    remove(connection)
    connection.response.destroy()
  }
  return {
    of,
    remove,
    ids: () => [...byId.keys()],
    all: () => [...byId.keys()].flatMap(of),
    /** Adds a connection. Throws at the limits per id and in total, which bound the memory. */
    add: (id: StreamConnection['id'], response: Response): StreamConnection => {
      if (count >= maxConnections) throw new ApiError('unavailable')
      if (of(id).length >= maxConnectionsPerId) throw new ApiError('rate_limited', 'too many pages are open')
      const now = Date.now()
      const connection = { id, response, openedAt: now, version: undefined, lastWriteAt: now }
      byId.set(id, (byId.get(id) ?? new Set()).add(connection))
      count += 1
      response.once('close', () => remove(connection))
      response.on('error', () => destroy(connection))
      return connection
    },
    write: (connection: StreamConnection, text: string) => {
      const { response } = connection
      if (response.writableEnded || response.destroyed) return remove(connection)
      if (response.writableLength > maxUnreadBytes) return destroy(connection)
      connection.lastWriteAt = Date.now()
      response.write(text)
    },
    end: (connection: StreamConnection) => {
      remove(connection)
      const { response } = connection
      if (response.writableEnded) return
      response.end()
      const timeout = setTimeout(() => response.destroy(), endTimeoutMs).unref()
      response.once('close', () => clearTimeout(timeout))
    },
  }
}

export type StreamConnections = ReturnType<typeof openStreamConnections>
