import { migrationInSteps } from '@cobro/database'

/**
 * Adds what the kept hours lack, in a statement for each table that sees rows and hours at the same moment. The triggers
 * count what changes meanwhile, so nothing is locked, and a repetition adds nothing.
 */
function fill(table: string, totals: string, rows: string, key: string, columns: string[]): string {
  const lacking = columns.map(name => `sum(${name})`)
  const negative = columns.map(name => `-${name}`)
  return `do $$
  begin
    insert into ${table} as kept (${key}, ${columns.join(', ')})
    select ${key}, ${lacking.join(', ')} from (
      select ${key}, ${columns.join(', ')} from ${rows} union all select ${key}, ${negative.join(', ')} from ${totals}
    ) as compared
    group by ${key} having ${lacking.map(sum => `${sum} <> 0`).join(' or ')} order by ${key}
    on conflict (${key}) do update set ${columns.map(name => `${name} = kept.${name} + excluded.${name}`).join(', ')};
  end
  $$`
}

const paymentColumns = [
  ...['attempted', 'approved', 'approved_cents', 'fee_cents', 'declined', 'failed'],
  ...['refunded', 'refunded_cents', 'chargebacks', 'chargeback_cents'],
]
const declineColumns = ['count', 'cents']
const paymentKey = 'currency, hour, payment_method, rail, card_brand'
const declineKey = 'currency, hour, reason, payment_method, rail, card_brand'

/** Fills the hours of reports from the transactions and disputes that were there before. */
export const fillReportHours = migrationInSteps('0025-fill-report-hours', [
  ...[
    fill('payment_hours', 'payment_hour_totals', 'payment_hours_of_rows', `merchant_id, ${paymentKey}`, paymentColumns),
    fill('payment_hours_of_all', 'payment_hour_totals_of_all', 'payment_hours_of_rows', paymentKey, paymentColumns),
  ],
  ...[
    fill('decline_hours', 'decline_hour_totals', 'decline_hours_of_rows', `merchant_id, ${declineKey}`, declineColumns),
    fill('decline_hours_of_all', 'decline_hour_totals_of_all', 'decline_hours_of_rows', declineKey, declineColumns),
  ],
])
