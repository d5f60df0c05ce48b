import { pipeline } from 'node:stream/promises'
import type { Logger } from '@cobro/runtime'
import type { Response } from 'express'
import { setInternalHeaders } from './mount-routes.ts'

/** The media types of exports, by format. */
const types = { csv: 'text/csv', ndjson: 'application/x-ndjson' }

/** How long a client may read nothing, while what it may have next waits. */
const patienceMs = 60_000

interface Exported {
  /** The name of the file without its ending. */
  name: string
  format: keyof typeof types
  /** Lines, one or many at a time, or none. The next ones are asked for once the client has read these, and not if it has left. */
  lines: AsyncIterable<string>
  headers?: Record<string, string>
  stalledMs?: number
}

/**
 * Streams lines as a file. The head is sent before the first line, so that no gateway times out. An error cuts the connection,
 * so that no client takes what it has for the whole; a client that leaves, or reads nothing for a minute, ends the reading of lines.
 */
export async function sendExport(
  response: Response,
  { name, format, lines, headers = {}, stalledMs = patienceMs }: Exported,
  logger: Pick<Logger, 'info' | 'error'>,
): Promise<void> {
  setInternalHeaders(response)
  response.set(headers)
  response.set('Content-Type', `${types[format]}; charset=utf-8`)
  response.set('Content-Disposition', `attachment; filename="${name}.${format}"`)
  response.flushHeaders()
  response.setTimeout(stalledMs, () => {
    // Otherwise the lines are what it waits for.
    if (response.writableNeedDrain) response.destroy()
  })
  await pipeline(lines, response).catch(error => {
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') logger.info({ export: name }, 'the client of an export left')
    else logger.error({ err: error, export: name }, 'an export was cut off')
  })
}
