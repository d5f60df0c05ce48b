import { ApiError, hostedPayable, type PayableId } from '@cobro/contracts'
import { setInternalHeaders } from '@cobro/http'
import { type Logger, runConcurrently, startInterval } from '@cobro/runtime'
import type { Response } from 'express'
import { z } from 'zod'
import { findPayableVersions } from './payable-versions.ts'
import { type PayerViewDeps, readPayerView } from './payer-view.ts'
import { openStreamConnections, type StreamConnection, type StreamConnections } from './stream-connections.ts'

const pollIntervalMs = 400
const concurrency = 8
/** Proxies close connections that are idle for long. */
const heartbeatIntervalMs = 15_000
/** A stream ends after this time, and its page opens another, possibly at another replica. */
const maxStreamMs = 600_000
const reconnectDelayMs = 2_000
const streamHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
}

/**
 * Starts the server-sent event streams of open payer's pages. It polls for changes of all followed
 * sessions and links, with one query whatever their number. PostgreSQL notifications to each replica would be faster,
 * but a measurement showed that they cost more than half of the write throughput.
 */
export function openPayerStreams(deps: PayerViewDeps & { logger: Logger }) {
  const { db, logger } = deps
  const connections = openStreamConnections()
  let stopped = false
  const sendChanges = async () => {
    const ids = connections.ids()
    if (ids.length === 0) return
    const versions = await findPayableVersions(db, ids)
    await runConcurrently(ids, { concurrency, name: 'update payer streams', logger }, id =>
      sendChange(deps, connections, { id, version: versions.get(id) }),
    )
    for (const connection of connections.all()) maintain(connections, connection)
  }
  const polling = startInterval(pollIntervalMs, 'update payer streams', sendChanges, logger)

  return {
    /** Sends the payer's view at once and after each change. A final status ends the stream. */
    follow: async (id: PayableId, response: Response) => {
      if (stopped) throw new ApiError('unavailable')
      const connection = connections.add(id, response)
      try {
        // The version is read before the view: a change in between is then sent twice instead of missed.
        const version = (await findPayableVersions(db, [id])).get(id) ?? ''
        const view = await readPayerView(deps, id)
        setInternalHeaders(response)
        response.set(streamHeaders)
        if (response.req.method === 'HEAD') return connections.end(connection)
        connections.write(connection, `retry: ${reconnectDelayMs}\n${eventOf(view)}`)
        connection.version = version
        if (view.status !== 'pending' || stopped) connections.end(connection)
      } catch (error) {
        connections.remove(connection)
        throw error
      }
    },
    /** Ends every stream and rejects new ones. Pages poll until they can open another stream. */
    stop: async () => {
      stopped = true
      await polling.stop()
      for (const connection of connections.all()) connections.end(connection)
    },
  }
}

export type PayerStreams = ReturnType<typeof openPayerStreams>

/** Sends the view to outdated connections. Those without a version get it first from `follow`. */
async function sendChange(
  deps: PayerViewDeps,
  connections: StreamConnections,
  { id, version }: { id: PayableId; version: string | undefined },
): Promise<void> {
  const isOutdated = (connection: StreamConnection) =>
    connection.version !== undefined && connection.version !== version
  if (version === undefined || !connections.of(id).some(isOutdated)) return
  const view = await readPayerView(deps, id)
  for (const connection of connections.of(id).filter(isOutdated)) {
    connection.version = version
    connections.write(connection, eventOf(view))
    if (view.status !== 'pending') connections.end(connection)
  }
}

/** Ends a connection that is too old, and sends a heartbeat to an idle one. */
function maintain(connections: StreamConnections, connection: StreamConnection): void {
  const now = Date.now()
  if (now - connection.openedAt > maxStreamMs) connections.end(connection)
  else if (now - connection.lastWriteAt > heartbeatIntervalMs && connection.version !== undefined)
    connections.write(connection, ':\n\n')
}

function eventOf(view: z.output<typeof hostedPayable>): string {
  return `event: payable\ndata: ${JSON.stringify(z.encode(hostedPayable, view))}\n\n`
}
