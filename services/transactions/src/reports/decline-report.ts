import type { Caller, PaymentReportQuery, ResponseOf, reportOperations } from '@cobro/contracts'
import { type Database, reportSums } from '@cobro/database'
import { reportSource } from './report-source.ts'

type DeclineReport = ResponseOf<typeof reportOperations.declines>['data']
type Row = DeclineReport['rows'][number]

/** Returns why payments that a caller may see were declined, the most frequent reason first. */
export async function declineReport(
  { read }: Pick<Database, 'read'>,
  caller: Caller,
  query: PaymentReportQuery,
): Promise<DeclineReport> {
  const { from, to, tz, currency } = query
  const as_of = new Date()
  const columns = ['count', 'cents'] as const
  const source = { ...reportSource(caller, query, 'decline'), columns, groupBy: 'reason' }
  const { rows, ...sums } = await read(em => reportSums(em, query, as_of, source))
  const byReason = Map.groupBy(rows, ({ group }) => group as Row['reason'])
  return {
    ...{ from, to, tz, currency, as_of },
    rows: [...byReason].map(([reason, found]) => ({ reason, ...sumOf(found) })).sort(byCount),
    ...sums,
  }
}

function sumOf(rows: Pick<Row, 'count' | 'cents'>[]) {
  const total = (name: 'count' | 'cents') => rows.reduce((sum, row) => sum + row[name], 0)
  return { count: total('count'), cents: total('cents') }
}

const byCount = (a: Row, b: Row) => b.count - a.count || a.reason.localeCompare(b.reason)
