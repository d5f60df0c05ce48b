import { intervalsOf, type ReportRange } from '@cobro/contracts'
import { planForValues } from './statement-names.ts'
import type { Reader } from './transaction.ts'

/** Where a report's sums come from. */
export interface HourlySource<Column extends string> {
  /** A table or view with a column `hour`, which is when each of its rows counts. */
  from: string
  /** The columns of integers to sum. */
  columns: readonly Column[]
  /** A condition, with the parameters for its placeholders. */
  where: string
  params: readonly unknown[]
  /** A column by whose values to group. */
  groupBy?: string | undefined
}

type Sums<Column extends string> = Record<Column, number>
type IntervalSums<Column extends string> = { start: Date; group: string | null } & Sums<Column>

/** The sums of a report's intervals, of its whole range, and of the range of equal length before. */
export interface ReportSums<Column extends string> {
  rows: IntervalSums<Column>[]
  totals: Sums<Column>
  previous: Sums<Column>
}

/**
 * Sums hourly rows by the intervals of a range, with one query. There is a row for each interval, the oldest first; with
 * `groupBy` one for each of its values that occurs in an interval.
 */
export async function reportSums<Column extends string>(
  em: Reader,
  range: ReportRange,
  source: HourlySource<Column>,
): Promise<ReportSums<Column>> {
  const { columns, groupBy } = source
  const starts = intervalsOf(range)
  const found = await readSums(em, starts, range.to, source)
  const sumsOf = (row?: SumRow) =>
    Object.fromEntries(columns.map(name => [name, Number(row?.[name] ?? 0)])) as Sums<Column>
  const rowOf = (start: Date, row?: SumRow) => ({ start, group: row?.group ?? null, ...sumsOf(row) })
  const byPlace = Map.groupBy(found, ({ place }) => place)
  const rows = starts.flatMap((start, index) => {
    const of = byPlace.get(index + 1) ?? []
    return groupBy ? of.map(row => rowOf(start, row)) : [rowOf(start, of[0])]
  })
  return { rows, totals: addUp(columns, rows), previous: addUp(columns, (byPlace.get(0) ?? []).map(sumsOf)) }
}

/** A row of the query: texts, since sums may exceed 32 bits. Its place is the number of its interval; 0 is before the range. */
type SumRow = Record<string, string | null> & { place: number; group: string | null }

function readSums(em: Reader, starts: Date[], to: Date, source: HourlySource<string>): Promise<SumRow[]> {
  const [from = to] = starts
  const before = new Date(2 * from.getTime() - to.getTime())
  const { columns, groupBy = 'null::text' } = source
  const sums = columns.map(name => `sum(${name})::text as ${name}`)
  const sql = `
    select width_bucket(hour, ?::timestamptz[]) as place, ${groupBy} as "group", ${sums.join(', ')}
    from ${source.from} as source
    where hour >= ?::timestamptz and hour < ?::timestamptz and ${source.where}
    group by 1, 2 order by 1, 2`
  const places = `{${starts.map(start => start.toISOString()).join(',')}}`
  return em.execute<SumRow[]>(planForValues(sql), [places, before, to, ...source.params])
}

function addUp<Column extends string>(columns: readonly Column[], rows: readonly Sums<Column>[]): Sums<Column> {
  const sumOf = (name: Column) => rows.reduce((total, row) => total + row[name], 0)
  return Object.fromEntries(columns.map(name => [name, sumOf(name)])) as Sums<Column>
}
