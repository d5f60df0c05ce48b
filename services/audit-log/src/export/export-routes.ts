import { auditOperations, type Caller, type QueryOf } from '@cobro/contracts'
import { type Database, scopeOf } from '@cobro/database'
import { page, type Route, sendExport } from '@cobro/http'
import type { Logger } from '@cobro/runtime'
import { eventIdRange } from '../events/event-id-range.ts'
import { readEnd } from '../integrity/read-log.ts'
import { csvHeader, type ExportedEvent, eventCsvLine, ndjsonLine } from './export-line.ts'
import { seqBefore } from './seq-before.ts'
import { type ExportRange, streamEvents } from './stream-events.ts'

type Query = QueryOf<typeof auditOperations.export>

const formats = {
  ndjson: { header: '', line: ndjsonLine },
  csv: { header: csvHeader, line: eventCsvLine },
}

export function exportRoutes({ db, logger }: { db: Database; logger: Logger }): Route[] {
  return [
    page(auditOperations.export, async ({ caller, query }, response) => {
      const { size } = await readEnd(db)
      const { from, after_seq: lastSeq = 0 } = query
      const afterSeq = Math.max(lastSeq, from === undefined ? 0 : await seqBefore(db, from))
      const range = { afterSeq, untilSeq: size, where: conditionsOf(caller, query) }
      const { format } = query
      const { header, line } = formats[format]
      // A continued export is appended to what the client has, which includes the header. A client can continue an export that
      // broke off after the last line that it got.
      const continued = lines(streamEvents(db, range), lastSeq > 0 ? '' : header, line)
      await sendExport(response, { name: 'events', format, lines: continued }, logger)
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
