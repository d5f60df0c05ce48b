import type { Database } from '@cobro/database'
import { inBackgroundCall, type Logger, type RowOrigin, runConcurrently } from '@cobro/runtime'
import { payableEntity } from '../payables/payable.ts'
import { PaymentAttemptEntity, type PaymentAttemptKey } from './payment-attempt-entity.ts'
import { attemptCommand } from './payment-attempt-messages.ts'
import { sqlStatuses, unresolvedStatuses } from './payment-attempt-states.ts'

const batch = 50
const concurrency = 4
const retryDelaysMs = [15_000, 60_000, 300_000]
const lastRetryDelayMs = 3_600_000

/**
 * Asks transactions for the outcome of attempts that still run past their deadline: the process that served the payer may have
 * died before it sent the command or received the outcome. Repeats with growing delays until an outcome arrives.
 * It cannot use `claimAndProcess`, because an attempt is claimed in the transaction that sends its command.
 */
export async function resolveAttempts(db: Database, logger: Logger): Promise<void> {
  const due = await db.execute<PaymentAttemptKey & RowOrigin>(
    `select payment_intent_id, number, merchant_id, correlation_id from ${db.schema}.payment_attempts
     where status in (${sqlStatuses(unresolvedStatuses)}) and resolve_at <= now() order by resolve_at limit ${batch}`,
  )
  await runConcurrently(due, { concurrency, name: 'resolve attempts', logger }, row =>
    inBackgroundCall('resolve attempt', row, () => resolveAttempt(db, row)),
  )
}

function resolveAttempt(db: Database, { payment_intent_id, number }: PaymentAttemptKey): Promise<void> {
  return db.write(async (tx, _emit, send) => {
    const now = new Date()
    const unresolved = { payment_intent_id, number, status: { $in: unresolvedStatuses } }
    const attempt = await tx.findOne(PaymentAttemptEntity, { ...unresolved, resolve_at: { $lte: now } })
    if (!attempt) return
    const { resolve_count } = attempt
    const resolve_at = new Date(now.getTime() + (retryDelaysMs[resolve_count] ?? lastRetryDelayMs))
    const guard = { ...unresolved, resolve_count }
    const updated = await tx.nativeUpdate(PaymentAttemptEntity, guard, { resolve_at, resolve_count: resolve_count + 1 })
    // Another replica was faster.
    if (updated === 0) return
    const payable = await tx.findOneOrFail(payableEntity(attempt.payable_id), { id: attempt.payable_id })
    send('payment.resolve', attemptCommand(payable, attempt))
  })
}
