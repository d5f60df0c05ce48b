import { type Database, planForValues } from '@cobro/database'
import type { ExportedEvent } from './export-line.ts'

/** Which events are exported. */
export interface ExportRange {
  /** The sequence number to continue after. */
  afterSeq: number
  /** The last sequence number to export. */
  untilSeq: number
  /** Further conditions, with a `?` for each of their values. */
  where?: { condition: string; values: unknown[] }[]
}

/** How many events are held in memory. */
const batchSize = 2_000
/** Limits the sequence numbers per query, so that no query takes long even if few events match. */
const maxSeqsPerQuery = 1_024_000

/**
 * Yields events by sequence number, those of one query at a time. While few match, each query covers more sequence numbers:
 * those of other months cost nothing, and an index finds the events of a merchant with few.
 */
export async function* streamEvents(
  db: Database,
  { afterSeq, untilSeq, where = [] }: ExportRange,
): AsyncGenerator<ExportedEvent[]> {
  const conditions = ['seq > ?', 'seq <= ?', ...where.map(({ condition }) => condition)]
  const select = planForValues(`
    select seq::float8 as seq, content from audit.events e where ${conditions.join(' and ')} order by e.seq
    fetch first ${batchSize} rows with ties`)
  const values = where.flatMap(part => part.values)
  for (let after = afterSeq, seqs = batchSize; after < untilSeq; ) {
    const until = Math.min(after + seqs, untilSeq)
    const rows = await db.execute<ExportedEvent>(select, [after, until, ...values])
    yield rows
    const isCut = rows.length >= batchSize
    after = isCut ? (rows.at(-1)?.seq ?? until) : until
    seqs = isCut ? batchSize : Math.min(4 * seqs, maxSeqsPerQuery)
  }
}
