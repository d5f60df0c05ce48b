import { comparableUntil, intervalsOf, type ReportRange } from '@cobro/contracts'
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

/** The sums of a report's intervals, of its whole range, of the range of equal length before, and of what of both can be compared. */
export interface ReportSums<Column extends string> {
  rows: IntervalSums<Column>[]
  totals: Sums<Column>
  previous: Sums<Column>
  compared: { to: Date; totals: Sums<Column>; previous: Sums<Column> }
}

/**
 * Sums hourly rows by the intervals of a range, with one query. There is a row for each interval, the oldest first; with
 * `groupBy` one for each of its values with a sum in an interval. Hours are compared until `asOf`.
 */
export async function reportSums<Column extends string>(
  em: Reader,
  range: ReportRange,
  asOf: Date,
  source: HourlySource<Column>,
): Promise<ReportSums<Column>> {
  const { columns, groupBy } = source
  const starts = intervalsOf(range)
  const until = comparableUntil(range, asOf)
  const [before, beforeUntil] = [earlierBy(range, range.from), earlierBy(range, until)]
  // The open interval is in two parts, and so is the range before.
  const bounds = [before, beforeUntil, ...starts, until].sort((a, b) => a.getTime() - b.getTime())
  const parts = await readParts(em, bounds, range.to, source)
  const [current, previous] = [parts.filter(({ at }) => at >= range.from), parts.filter(({ at }) => at < range.from)]
  const openStart = starts.findLast(start => start <= until)
  const byStart = Map.groupBy(current, ({ at }) => (at === until ? openStart : at))
  const sumOf = (of: readonly Part[]) => addUp(columns, of)
  const rows = starts.flatMap(start => {
    const within = byStart.get(start) ?? []
    if (!groupBy) return [{ start, group: null, ...sumOf(within) }]
    const groups = [...Map.groupBy(within, ({ group }) => group)].map(([group, of]) => ({ start, group, ...sumOf(of) }))
    // What was counted and then deleted leaves zeros.
    return groups.filter(row => columns.some(name => row[name] !== 0))
  })
  const compared = (of: readonly Part[], end: Date) => sumOf(of.filter(({ at }) => at < end))
  return {
    ...{ rows, totals: sumOf(current), previous: sumOf(previous) },
    compared: { to: until, totals: compared(current, until), previous: compared(previous, beforeUntil) },
  }
}

/** Returns the moment that is as long before the start of a range as another is before its end. */
function earlierBy({ from, to }: ReportRange, at: Date): Date {
  return new Date(at.getTime() - to.getTime() + from.getTime())
}

/** Sums from a bound up to the next one: texts, since sums may exceed 32 bits. */
type Part = Record<string, unknown> & { at: Date; group: string | null }

/** Sums hourly rows between bounds, of which the first is the earliest. They are in the order of their groups. */
async function readParts(em: Reader, bounds: Date[], to: Date, source: HourlySource<string>): Promise<Part[]> {
  const [first = to] = bounds
  const { columns, groupBy = 'null::text' } = source
  const sums = columns.map(name => `sum(${name})::text as ${name}`)
  const sql = `
    select width_bucket(hour, ?::timestamptz[]) as place, ${groupBy} as "group", ${sums.join(', ')}
    from ${source.from} as source
    where hour >= ?::timestamptz and hour < ?::timestamptz and ${source.where}
    group by 1, 2`
  const places = `{${bounds.map(bound => bound.toISOString()).join(',')}}`
  const found = await em.execute<(Part & { place: number })[]>(planForValues(sql), [
    places,
    first,
    to,
    ...source.params,
  ])
  // Not by the database, which would then sort all hours to sum them, and that on its disk.
  return found.sort(byGroup).map(row => ({ ...row, at: bounds[row.place - 1] ?? first }))
}

/** Sorts groups by their names, and the one without a name last. */
function byGroup({ group: one }: Pick<Part, 'group'>, { group: other }: Pick<Part, 'group'>): number {
  if (one === other) return 0
  if (one === null || other === null) return one === null ? 1 : -1
  return one < other ? -1 : 1
}

function addUp<Column extends string>(columns: readonly Column[], rows: readonly Part[]): Sums<Column> {
  const sumOf = (name: Column) => rows.reduce((total, row) => total + Number(row[name]), 0)
  return Object.fromEntries(columns.map(name => [name, sumOf(name)])) as Sums<Column>
}
