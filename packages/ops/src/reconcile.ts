import { newId } from '@cobro/contracts'
import { fulfillingPayments, paidPayables, unfulfilled, unpaid, unposted } from '@cobro/contracts/sql'
import { withOperatorDatabase } from './operator-database.ts'
import { readArguments } from './read-arguments.ts'
import { UsageError } from './usage-error.ts'

/** How many differences are printed. */
const maxPrinted = 100
const defaultDays = 3
const dayMs = 86_400_000
const timeoutMs = 600_000

/** A session or link, its transaction and the ledger, of which two contradict each other. */
interface Difference {
  /**
   * `unpaid`: a session or link is completed or paid, and no captured transaction has its id, merchant, amount and
   * currency. `unfulfilled`: a payment was captured, and its session or link does not name it.
   * `unposted`: the capture, fee or refund of a transaction is not what the ledger has for it.
   */
  kind: 'unpaid' | 'unfulfilled' | 'unposted'
  id: string
  merchant_id: string
  transaction_id: string | null
  amount_cents: string
  currency: string
}

/**
 * Compares what checkout, transactions and the ledger stored on their own. One query, so that it sees one moment.
 * Checkout learns of a payment after transactions stored it, which takes less than 15 minutes. Ids of
 * entries begin with their time.
 */
const select = `
  select * from (
    ${unpaid(paidPayables.map(payables => `select * from (${payables}) as paid where changed_at > $1`).join(' union all '))}
    union all
    ${unfulfilled(`select * from (${fulfillingPayments}) as captured where captured_at between $1 and now() - interval '15 minutes'`)}
    union all
    ${unposted('row.captured_at > $1 or row.id in (select transaction_id from transactions.ledger_entries where id > $2)')}
  ) as differences order by id limit ${maxPrinted}`

/**
 * `reconcile [--days N]`: prints the sessions, links and payments of some days that contradict each
 * other or the ledger, as a line of JSON. Exits with 1 if there are any: a message on the bus was forged or lost, or
 * rows were changed.
 */
export function reconcile(args: string[]) {
  const { days = String(defaultDays) } = readArguments(args, { days: { type: 'string' } }).values
  if (!/^[1-9]\d{0,3}$/.test(days)) throw new UsageError('--days: expected a number of days from 1 to 9999.')
  return () => printDifferences(Number(days))
}

async function printDifferences(days: number): Promise<number> {
  const from = Date.now() - days * dayMs
  const { rows } = await withOperatorDatabase(
    client => client.query<Difference>(select, [new Date(from), newId('led', from)]),
    timeoutMs,
  )
  const ok = rows.length === 0
  process.stdout.write(`${JSON.stringify({ ok, days, differences: rows })}\n`)
  return ok ? 0 : 1
}
