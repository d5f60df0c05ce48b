import type { Caller, PaymentReportQuery, ResponseOf, reportOperations } from '@cobro/contracts'
import { type Database, reportSums } from '@cobro/database'
import { reportSource } from './report-source.ts'

type PaymentReport = ResponseOf<typeof reportOperations.payments>['data']

const columns = [
  ...(['attempted', 'approved', 'approved_cents', 'declined', 'failed', 'fee_cents'] as const),
  ...(['refunded', 'refunded_cents', 'chargebacks', 'chargeback_cents', 'card_approved', 'card_declined'] as const),
]

/** Returns what became of the payments that a caller may see. */
export async function paymentReport(
  { read }: Pick<Database, 'read'>,
  caller: Caller,
  query: PaymentReportQuery,
): Promise<PaymentReport> {
  const { from, to, tz, interval, currency, group_by: groupBy } = query
  const as_of = new Date()
  const { from: view, ...selected } = reportSource(caller, query, 'payment')
  const ofCards = (name: string) => `case payment_method when 'card' then ${name} else 0 end as card_${name}`
  const source = `(select *, ${ofCards('approved')}, ${ofCards('declined')} from ${view})`
  const { rows, totals, previous, compared } = await read(em =>
    reportSums(em, query, as_of, { ...selected, from: source, columns, groupBy }),
  )
  return {
    ...{ from, to, tz, interval, currency, as_of },
    rows: rows.map(withRate),
    totals: withRate(totals),
    previous: withRate(previous),
    compared: { to: compared.to, totals: withRate(compared.totals), previous: withRate(compared.previous) },
  }
}

type Sums = Record<(typeof columns)[number], number>

function withRate<Row extends Sums>({ card_approved, card_declined, ...row }: Row) {
  const ended = card_approved + card_declined
  return { ...row, approval_rate: ended > 0 ? card_approved / ended : null }
}
