import { pipeline } from 'node:stream/promises'
import { auditOperations, type Caller, type QueryOf } from '@cobro/contracts'
import { type Database, scopeOf } from '@cobro/database'
import { page, type Route, setInternalHeaders } from '@cobro/http'
import type { Logger } from '@cobro/runtime'
import { eventIdRange } from '../events/event-id-range.ts'
import { readEnd } from '../integrity/read-log.ts'
import { csvHeader, csvLine, type ExportedEvent, ndjsonLine } from './export-line.ts'
import { seqBefore } from './seq-before.ts'
import { type ExportRange, streamEvents } from './stream-events.ts'

type Query = QueryOf<typeof auditOperations.export>

const formats = {
  ndjson: { type: 'application/x-ndjson', header: '', line: ndjsonLine },
  csv: { type: 'text/csv', header: csvHeader, line: csvLine },
}

export function exportRoutes({ db, logger }: { db: Database; logger: Logger }): Route[] {
  return [
    page(auditOperations.export, async ({ caller, query }, response) => {
      const { size } = await readEnd(db)
      const { from, after_seq: lastSeq = 0 } = query
      const afterSeq = Math.max(lastSeq, from === undefined ? 0 : await seqBefore(db, from))
      const range = { afterSeq, untilSeq: size, where: conditionsOf(caller, query) }
      const { type, header, line } = formats[query.format]
      setInternalHeaders(response)
      response.set('Content-Type', `${type}; charset=utf-8`)
      response.set('Content-Disposition', `attachment; filename="events.${query.format}"`)
      // Sends the headers before the first event, so that the gateway does not time out.
      response.flushHeaders()
      // A continued export is appended to what the client has, which includes the header. A client can continue an export that
      // broke off after the last line that it got.
      await pipeline(lines(streamEvents(db, range), lastSeq > 0 ? '' : header, line), response).catch(error =>
        logger.info({ err: error }, 'an audit export was interrupted'),
      )
    }),
  ]
}

async function* lines(events: AsyncIterable<ExportedEvent>, header: string, line: (event: ExportedEvent) => string) {
  if (header) yield header
  for await (const event of events) yield line(event)
}

function conditionsOf(caller: Caller, { from, to }: Query): NonNullable<ExportRange['where']> {
  const { merchant_id } = scopeOf(caller)
  const { lowest, below } = eventIdRange({ from, to })
  const merchants = typeof merchant_id === 'object' ? merchant_id.$in : merchant_id && [merchant_id]
  return [
    { condition: 'merchant_id = any(?::text[])', values: merchants && [`{${merchants.join()}}`] },
    { condition: 'occurred_at >= ?::timestamptz', values: from && [from.toISOString()] },
    { condition: 'occurred_at <= ?::timestamptz', values: to && [to.toISOString()] },
    { condition: 'id >= ?', values: lowest && [lowest] },
    { condition: 'id < ?', values: below && [below] },
  ].filter((part): part is { condition: string; values: string[] } => Array.isArray(part.values))
}
