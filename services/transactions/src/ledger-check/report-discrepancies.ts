import type { DiscrepancyQuery } from './entry-discrepancies.ts'

const paymentColumns = [
  ...['attempted', 'approved', 'approved_cents', 'fee_cents', 'declined', 'failed'],
  ...['refunded', 'refunded_cents', 'chargebacks', 'chargeback_cents'],
]
const dimensions = ['currency', 'hour', 'payment_method', 'rail', 'card_brand']

/**
 * Compares sums by hour. `should` and `kept` are views with the same columns; sums of all merchants together have no
 * merchant, so that only the check of all merchants includes them.
 */
function hours(should: string, kept: string, key: string[], columns: string[]): DiscrepancyQuery['sql'] {
  const sums = (side: string) => columns.map(name => `sum(${name}) filter (where side = '${side}')`).join(', ')
  const shown = (side: string) => `concat_ws(' ', ${sums(side)})`
  const select = (side: string, view: string) =>
    `select '${side}' as side, ${key.includes('merchant_id') ? '' : "'all' as merchant_id, "}${key.join(', ')}, ${columns.join(', ')} from transactions.${view}`
  return scope => `
    select concat_ws(' ', ${key.join(', ')}) as id, ${shown('should')} as expected, ${shown('kept')} as found
    from (${select('should', should)} union all ${select('kept', kept)}) as compared
    where ${scope} group by ${key.join(', ')}
    having ${columns.map(name => `coalesce(sum(case side when 'kept' then ${name} else -${name} end), 0) <> 0`).join(' or ')}`
}

const paymentKey = ['merchant_id', ...dimensions]
const declineKey = ['merchant_id', 'reason', ...dimensions]
const ofAll = (key: string[]) => key.slice(1)

/** The hourly sums of reports equal those of the rows, and the sums of all merchants those of each merchant. */
export const reportDiscrepancies: readonly DiscrepancyQuery[] = [
  { kind: 'payment_hour', sql: hours('payment_hours_of_rows', 'payment_hour_totals', paymentKey, paymentColumns) },
  {
    kind: 'payment_hour_of_all',
    sql: hours('payment_hour_totals', 'payment_hour_totals_of_all', ofAll(paymentKey), paymentColumns),
  },
  { kind: 'decline_hour', sql: hours('decline_hours_of_rows', 'decline_hour_totals', declineKey, ['count', 'cents']) },
  {
    kind: 'decline_hour_of_all',
    sql: hours('decline_hour_totals', 'decline_hour_totals_of_all', ofAll(declineKey), ['count', 'cents']),
  },
]
