import { pipeline } from 'node:stream/promises'
import { auditOperations, type Caller, type QueryOf } from '@cobro/contracts'
import { type Database, scopeOf } from '@cobro/database'
import { page, type Route, tellGateway } from '@cobro/http'
import type { Logger } from '@cobro/runtime'
import { eventIdRange } from '../events/event-id-range.ts'
import { readEnd } from '../integrity/read-log.ts'
import { csvHead, csvLine, type ExportedEvent, ndjsonLine } from './export-line.ts'
import { seqBeforeDay } from './seq-before-day.ts'
import { type ExportRange, streamEvents } from './stream-events.ts'

type Query = QueryOf<typeof auditOperations.export>

const formats = {
  ndjson: { type: 'application/x-ndjson', head: '', line: ndjsonLine },
  csv: { type: 'text/csv', head: csvHead, line: csvLine },
}

export function exportRoutes({ db, logger }: { db: Database; logger: Logger }): Route[] {
  return [
    page(auditOperations.export, async ({ caller, query }, response) => {
      const { size } = await readEnd(db)
      const { from, after_seq: had = 0 } = query
      const afterSeq = Math.max(had, from === undefined ? 0 : await seqBeforeDay(db, from))
      const range = { afterSeq, untilSeq: size, where: conditionsOf(caller, query) }
      const { type, head, line } = formats[query.format]
      tellGateway(response)
      response.set('Content-Type', `${type}; charset=utf-8`)
      response.set('Content-Disposition', `attachment; filename="events.${query.format}"`)
      // At once: until there is a first event, the gateway must see that its call is in hand.
      response.flushHeaders()
      // What goes on after a place is put behind what arrived before, which has the head.
      // An answer that breaks off shows as broken, and the client takes it up after the last line that it has.
      await pipeline(lines(streamEvents(db, range), had > 0 ? '' : head, line), response).catch(error =>
        logger.info({ err: error }, 'an export broke off'),
      )
    }),
  ]
}

async function* lines(events: AsyncIterable<ExportedEvent>, head: string, line: (event: ExportedEvent) => string) {
  if (head) yield head
  for await (const event of events) yield line(event)
}

function conditionsOf(caller: Caller, { from, to }: Query): NonNullable<ExportRange['where']> {
  const { merchant_id } = scopeOf(caller)
  const { lowest, below } = eventIdRange({ from, to })
  const merchants = typeof merchant_id === 'object' ? merchant_id.$in : merchant_id && [merchant_id]
  return [
    {
      condition: 'merchant_id = any(?::text[])',
      values: merchants && [`{${merchants.join()}}`],
    },
    { condition: 'occurred_at >= ?::timestamptz', values: from && [`${from}T00:00:00.000Z`] },
    { condition: 'occurred_at <= ?::timestamptz', values: to && [`${to}T23:59:59.999Z`] },
    { condition: 'id >= ?', values: lowest && [lowest] },
    { condition: 'id < ?', values: below && [below] },
  ].filter((part): part is { condition: string; values: string[] } => Array.isArray(part.values))
}
