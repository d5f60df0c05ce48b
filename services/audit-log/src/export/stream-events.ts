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

/** So many events are held at a time. */
const eventsAtOnce = 2_000
/** So many places are looked at in one statement, however few of their events are wanted: none takes long. */
const maxPlacesAtOnce = 1_024_000

/**
 * Events in the order of their places. Where few are wanted, more places are looked at with each statement: those of another month
 * cost nothing then, and a merchant of few events is looked up by its index.
 */
export async function* streamEvents(
  db: Database,
  { afterSeq, untilSeq, where = [] }: ExportRange,
): AsyncGenerator<ExportedEvent> {
  const conditions = ['seq > ?', 'seq <= ?', ...where.map(({ condition }) => condition)]
  const select = `
    select seq, content from audit.events where ${conditions.join(' and ')} order by seq
    fetch first ${eventsAtOnce} rows with ties`
  const values = where.flatMap(part => part.values)
  for (let after = afterSeq, places = eventsAtOnce; after < untilSeq; ) {
    const until = Math.min(after + places, untilSeq)
    const rows = await db.read(em => em.execute<{ seq: string; content: Buffer }[]>(select, [after, until, ...values]))
    for (const { seq, content } of rows) yield { seq: Number(seq), content }
    const isCut = rows.length >= eventsAtOnce
    after = isCut ? Number(rows.at(-1)?.seq) : until
    places = isCut ? eventsAtOnce : Math.min(4 * places, maxPlacesAtOnce)
  }
}
