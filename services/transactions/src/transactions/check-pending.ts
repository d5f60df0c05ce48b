import { inCall, inNewTrace, type Logger, runConcurrently } from '@cobro/runtime'
import { settleVoucher } from '../vouchers/settle-voucher.ts'
import { acquirerKey } from './acquirer-key.ts'
import type { ChargeDeps } from './charge-payment.ts'
import { nextCheckAt, reverseAfterMs } from './check-schedule.ts'
import { settleTransaction } from './settle-transaction.ts'
import type { TransactionRow } from './transaction-entity.ts'

interface DueRow
  extends Pick<
    TransactionRow,
    'id' | 'payment_method' | 'status' | 'merchant_id' | 'correlation_id' | 'voucher_reference'
  > {
  payment_intent_id: string
  attempt: number
  age_ms: number
}

export interface CheckDeps extends ChargeDeps {
  /** Ends the checking, however much is due. */
  stopping?: AbortSignal
}

const batch = 50
/** Fewer than the connections to the acquirer: payers wait for theirs. */
const concurrency = 20
/** How long a replica has for the rows it took before another may take them: longer than the acquirer is waited for. */
const claimSeconds = 90

/**
 * Asks the acquirer about charges and vouchers whose outcome is unknown and whose time has come, and withdraws vouchers whose
 * transaction has ended. Any number of replicas may do it: each takes rows that no other holds. What the acquirer has not found
 * a minute later is reversed, which ends it for good: from then on the acquirer refuses its key, or says what it came to. Goes on
 * until nothing is due.
 */
export async function checkPending(deps: CheckDeps, logger: Logger): Promise<void> {
  while (!deps.stopping?.aborted) {
    const rows = await claimDue(deps)
    await runConcurrently(
      rows,
      { concurrency, name: 'check pending charges', logger },
      ({ merchant_id, correlation_id, ...row }) =>
        inNewTrace('check pending charge', {}, () =>
          inCall({ merchant_id, correlation_id }, () =>
            row.payment_method === 'cash' ? checkVoucher(deps, row) : checkCharge(deps, row),
          ),
        ),
    )
    if (rows.length < batch) return
  }
}

type Checked = Omit<DueRow, 'merchant_id' | 'correlation_id'>

async function checkCharge({ db, acquirer }: ChargeDeps, row: Checked): Promise<void> {
  const key = acquirerKey(row)
  const found = await acquirer.findCharge(key)
  const gone = found.status === 'not_found' && row.age_ms > reverseAfterMs
  const outcome = gone ? await acquirer.reverseCharge(key) : found
  await db.write((tx, emit) => settleTransaction(tx, emit, row.id, outcome, askLater))
}

/**
 * A voucher whose transaction has ended is to be withdrawn, and asking for that again does no harm. One that is out was issued,
 * whatever an acquirer says that does not find it: only the payer's money, its last day or the end of its transaction ends it.
 */
async function checkVoucher({ db, acquirer }: ChargeDeps, row: Checked): Promise<void> {
  const key = acquirerKey(row)
  const found = row.status === 'pending' ? await acquirer.findVoucher(key) : undefined
  const neverOut = found?.status === 'not_found' && !row.voucher_reference && row.age_ms > reverseAfterMs
  const news = !found || neverOut ? await acquirer.withdrawVoucher(key) : found
  await db.write((tx, emit) => settleVoucher(tx, emit, row.id, news, askLater))
}

/** Ever more rarely, but without end. */
function askLater(row: TransactionRow, now: Date): void {
  row.check_count += 1
  row.next_check_at = nextCheckAt(row.check_count, now)
}

/** Somebody waits for an outcome that is unknown, and nobody for a voucher to be withdrawn. */
function claimDue({ db }: ChargeDeps): Promise<DueRow[]> {
  return db.read(em =>
    em.execute<DueRow[]>(
      `update ${db.schema}.transactions set next_check_at = now() + interval '${claimSeconds} seconds'
       where id in (
         select id from ${db.schema}.transactions
         where next_check_at <= now() and payment_intent_id is not null
         order by status <> 'pending', next_check_at limit ${batch} for update skip locked)
       returning id, payment_intent_id, attempt, payment_method, status, merchant_id, correlation_id, voucher_reference,
         (extract(epoch from now() - created_at) * 1000)::float8 as age_ms`,
    ),
  )
}
