import type { Database } from '@cobro/database'
import { claimAndProcess, inBackgroundCall, type Logger, type RowOrigin, timings } from '@cobro/runtime'
import type { AcquirerDeps, CheckDeps } from '../acquirer/acquirer-deps.ts'
import { checkClaimSeconds, checkLater, checkLimits } from '../acquirer/check-schedule.ts'
import { resolveCharge } from '../charges/resolve-charge.ts'
import { acquirerKey } from '../transactions/acquirer-key.ts'
import type { TransactionRow } from '../transactions/transaction-entity.ts'
import { resolveVoucher } from '../vouchers/resolve-voucher.ts'

interface DuePayment extends RowOrigin, Pick<TransactionRow, 'id' | 'payment_method' | 'status' | 'voucher_reference'> {
  payment_intent_id: NonNullable<TransactionRow['payment_intent_id']>
  attempt: number
  age_ms: number
}

/**
 * Asks the acquirer about charges and vouchers that are due for a check, and withdraws vouchers
 * whose transaction has ended. Replicas run it concurrently; each claims rows that no other has claimed. A payment that
 * the acquirer still doesn't find after a minute is reversed: from then on the acquirer rejects its key, or reports its
 * outcome. Repeats until nothing is due.
 */
export function checkPendingPayments(deps: CheckDeps, logger: Logger): Promise<void> {
  const { db, stopping } = deps
  const claim = (limit: number) => claimDue(db, limit)
  return claimAndProcess({ name: 'check pending payments', claim, ...checkLimits, stopping, logger }, row =>
    inBackgroundCall('check pending payment', row, () =>
      row.payment_method === 'cash' ? checkVoucher(deps, row) : checkCharge(deps, row),
    ),
  )
}

async function checkCharge({ db, acquirer }: AcquirerDeps, row: DuePayment): Promise<void> {
  const key = acquirerKey(row)
  const found = await acquirer.findCharge(key)
  const reverse = found.status === 'not_found' && row.age_ms > timings.reverse
  const report = reverse ? await acquirer.reverseCharge(key) : found
  await db.write((tx, emit) => resolveCharge(tx, emit, row.id, report, checkLater))
}

/**
 * Checks a voucher, or withdraws it if its transaction has ended; the call is idempotent.
 * An issued voucher is never withdrawn as not found: only a payment, its due date or its transaction's end ends it.
 */
async function checkVoucher({ db, acquirer }: AcquirerDeps, row: DuePayment): Promise<void> {
  const key = acquirerKey(row)
  const found = row.status === 'pending' ? await acquirer.findVoucher(key) : undefined
  const neverIssued = found?.status === 'not_found' && !row.voucher_reference && row.age_ms > timings.reverse
  const report = !found || neverIssued ? await acquirer.withdrawVoucher(key) : found
  await db.write((tx, emit) => resolveVoucher(tx, emit, row.id, report, checkLater))
}

/** Claims due rows, pending payments first: checkout waits for them, but not for a withdrawal. */
function claimDue(db: Database, limit: number): Promise<DuePayment[]> {
  return db.execute<DuePayment>(
    `update transactions.transactions set next_check_at = now() + interval '${checkClaimSeconds} seconds'
     where id in (
       select id from transactions.transactions
       where next_check_at <= now() and payment_intent_id is not null
       order by status <> 'pending', next_check_at limit ${limit} for update skip locked)
     returning id, payment_intent_id, attempt, payment_method, status, merchant_id, correlation_id, voucher_reference,
       (extract(epoch from now() - created_at) * 1000)::float8 as age_ms`,
  )
}
