import { type Database, isDatabaseUnavailable } from '@cobro/database'
import { claimAndProcess, delayAfter, inBackgroundCall, type Logger, type RowOrigin, timings } from '@cobro/runtime'
import { payableEntity } from '../payables/payable.ts'
import { PaymentAttemptEntity, type PaymentAttemptKey } from './payment-attempt-entity.ts'
import { attemptCommand } from './payment-attempt-messages.ts'
import { sqlStatuses, unresolvedStatuses } from './payment-attempt-states.ts'

const limits = { batch: 50, concurrency: 4 }

/**
 * Asks transactions for the outcome of attempts that still run past their deadline.
 * The process that served the payer may have died before it sent the command or received the outcome.
 * Repeats with growing delays until an outcome arrives.
 */
export function resolveAttempts(db: Database, logger: Logger, stopping: AbortSignal): Promise<void> {
  const claim = (limit: number) => findDue(db, limit)
  const options = { ...limits, stopping, isUnavailable: isDatabaseUnavailable, logger }
  return claimAndProcess({ name: 'resolve attempts', claim, ...options }, row =>
    inBackgroundCall('resolve attempt', row, () => resolveAttempt(db, row)),
  )
}

function findDue(db: Database, limit: number): Promise<(PaymentAttemptKey & RowOrigin)[]> {
  return db.execute(
    `select payment_intent_id, number, merchant_id, correlation_id from ${db.schema}.payment_attempts
     where status in (${sqlStatuses(unresolvedStatuses)}) and resolve_at <= now() order by resolve_at limit ${limit}`,
  )
}

/**
 * Delays the next try and sends the command in one transaction.
 * So one replica does both, or none does either. Returns false if another replica was faster.
 */
function resolveAttempt(db: Database, { payment_intent_id, number }: PaymentAttemptKey): Promise<boolean> {
  return db.write(async (tx, _emit, send) => {
    const now = new Date()
    const unresolved = { payment_intent_id, number, status: { $in: unresolvedStatuses } }
    const attempt = await tx.findOne(PaymentAttemptEntity, { ...unresolved, resolve_at: { $lte: now } })
    if (!attempt) return false
    const { resolve_count } = attempt
    const resolve_at = new Date(now.getTime() + delayAfter(timings.resolveAgain, resolve_count))
    const guard = { ...unresolved, resolve_count }
    const updated = await tx.nativeUpdate(PaymentAttemptEntity, guard, { resolve_at, resolve_count: resolve_count + 1 })
    if (updated === 0) return false
    const payable = await tx.findOneOrFail(payableEntity(attempt.payable_id), { id: attempt.payable_id })
    send('payment.resolve', attemptCommand(payable, attempt))
    return true
  })
}
