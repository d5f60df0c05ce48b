import { auditOperations, type Caller, type QueryOf } from '@cobro/contracts'
import { type Database, scopeOf } from '@cobro/database'
import { page, type Route, sendExport } from '@cobro/http'
import type { Logger } from '@cobro/runtime'
import { concurrencyLimit, limitedTogether } from '@cobro/service'
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
  // Exports share the process and the connections of the database with what is recorded.
  const limitExports = concurrencyLimit({ perCaller: 2, inTotal: 8, what: 'exports at once' })
  return [
    page(auditOperations.export, ({ caller, query }, response) =>
      limitExports(limitedTogether(caller), async () => {
        const { format } = query
        await sendExport(response, { name: 'events', format, lines: await exportedLines(db, caller, query) }, logger)
      }),
    ),
  ]
}

/**
 * Returns the lines of the events that are in the log by now. A client can continue an export that broke off after the last line
 * that it got: what it has includes the header.
 */
async function exportedLines(db: Database, caller: Caller, query: Query): Promise<AsyncIterable<string>> {
  const { size } = await readEnd(db)
  const { from, after_seq: lastSeq = 0, format } = query
  const afterSeq = Math.max(lastSeq, from === undefined ? 0 : await seqBefore(db, from))
  const range = { afterSeq, untilSeq: size, where: conditionsOf(caller, query) }
  const { header, line } = formats[format]
  return lines(streamEvents(db, range), lastSeq > 0 ? '' : header, line)
}

async function* lines(batches: AsyncIterable<ExportedEvent[]>, header: string, line: (event: ExportedEvent) => string) {
  if (header) yield header
  for await (const events of batches) {
    for (const event of events) yield line(event)
    // Also where nothing matches: only with the next lines does an export end whose client has left.
    if (events.length === 0) yield ''
  }
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
