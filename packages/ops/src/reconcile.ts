import { withOperatorDatabase } from './operator-database.ts'
import { readArguments } from './read-arguments.ts'
import { UsageError } from './usage-error.ts'

/** How many differences are printed. */
const maxPrinted = 100
const defaultDays = 3
const timeoutMs = 600_000

/** A session or link and a transaction that contradict each other. */
interface Difference {
  /**
   * `unpaid`: a session or link is completed or paid, and no captured transaction has its id, merchant, amount and
   * currency. `unfulfilled`: a payment was captured, and its session or link does not name it.
   */
  kind: 'unpaid' | 'unfulfilled'
  id: string
  merchant_id: string
  transaction_id: string | null
  amount_cents: string
  currency: string
}

const payables = `
  select id, merchant_id, transaction_id, amount_total as amount_cents, currency, status = 'completed' as is_paid, modified_at as changed_at
  from checkout.checkout_sessions
  union all
  select id, merchant_id, transaction_id, amount_cents, currency, status = 'paid', updated_at from checkout.payment_links`

/**
 * Compares what checkout and transactions stored on their own. One query, so that it sees one moment; checkout learns of a
 * payment after transactions stored it, which takes less than 15 minutes. A late or duplicate payment is refunded
 * instead of completing anything.
 */
const select = `
  with payable as (${payables})
  select * from (
    select 'unpaid' as kind, payable.id, payable.merchant_id, payable.transaction_id, payable.amount_cents, payable.currency
    from payable left join transactions.transactions paid
      on paid.id = payable.transaction_id and paid.payable_id = payable.id and paid.merchant_id = payable.merchant_id
      and paid.amount_cents = payable.amount_cents and paid.currency = payable.currency and paid.captured_at is not null
    where payable.is_paid and payable.changed_at > now() - $1 * interval '1 day' and paid.id is null
    union all
    select 'unfulfilled', paid.payable_id, paid.merchant_id, paid.id, paid.amount_cents, paid.currency
    from transactions.transactions paid left join payable
      on payable.id = paid.payable_id and payable.transaction_id = paid.id and payable.is_paid
    where paid.captured_at between now() - $1 * interval '1 day' and now() - interval '15 minutes'
      and paid.payable_id is not null and paid.refund_id is null and paid.late_payment_of is null and payable.id is null
  ) as differences order by id limit ${maxPrinted}`

/**
 * `reconcile [--days N]`: prints the sessions, links and payments of some days that contradict each
 * other, as a line of JSON. Exits with 1 if there are any: a message on the bus was forged or lost.
 */
export function reconcile(args: string[]) {
  const { days = String(defaultDays) } = readArguments(args, { days: { type: 'string' } }).values
  if (!/^[1-9]\d{0,3}$/.test(days)) throw new UsageError('--days: expected a number of days from 1 to 9999.')
  return () => printDifferences(Number(days))
}

async function printDifferences(days: number): Promise<number> {
  const { rows } = await withOperatorDatabase(client => client.query<Difference>(select, [days]), timeoutMs)
  const ok = rows.length === 0
  process.stdout.write(`${JSON.stringify({ ok, days, differences: rows })}\n`)
  return ok ? 0 : 1
}
