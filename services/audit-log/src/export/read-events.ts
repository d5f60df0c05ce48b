import type { Database } from '@cobro/database'
import type { ExportedEvent } from './export-line.ts'

/** Which events are exported. */
export interface ExportRange {
  /** The last place that is not wanted: where an export that broke off is taken up again. */
  afterSeq: number
  /** The last place that is. */
  untilSeq: number
  /** Further conditions, with a `?` for each of their values. */
  where?: { condition: string; values: unknown[] }[]
}

/** So many places are looked at in one statement, however few of their events are wanted: none takes long. */
const placesAtOnce = 2_000

/** Events in the order of their places. Holds one statement's worth of them at a time. */
export async function* readEvents(
  db: Database,
  { afterSeq, untilSeq, where = [] }: ExportRange,
): AsyncGenerator<ExportedEvent> {
  const conditions = ['seq > ?', 'seq <= ?', ...where.map(({ condition }) => condition)]
  const select = `select seq, content from audit.events where ${conditions.join(' and ')} order by seq`
  const values = where.flatMap(part => part.values)
  for (let after = afterSeq; after < untilSeq; after += placesAtOnce) {
    const until = Math.min(after + placesAtOnce, untilSeq)
    const rows = await db.read(em => em.execute<{ seq: string; content: Buffer }[]>(select, [after, until, ...values]))
    for (const { seq, content } of rows) yield { seq: Number(seq), content }
  }
}
