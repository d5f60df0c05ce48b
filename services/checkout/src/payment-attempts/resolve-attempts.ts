import type { Database } from '@cobro/database'
import { inCall, inNewTrace, type Logger, runConcurrently } from '@cobro/runtime'
import { payableEntity } from '../payables/payable.ts'
import { PaymentAttemptEntity, type PaymentAttemptKey } from './payment-attempt-entity.ts'
import { attemptCommand } from './payment-attempt-messages.ts'

const batch = 50
const concurrency = 4
const waitsMs = [15_000, 60_000, 300_000]
const lastWaitMs = 3_600_000

/**
 * Asks transactions what became of attempts that still run past their deadline: their process may have died before it sent
 * the charge, or before it heard the outcome. Asks again, ever more rarely, until an outcome comes.
 */
export async function resolveAttempts(db: Database, logger: Logger): Promise<void> {
  const due = await db.read(em =>
    em.execute<(PaymentAttemptKey & { merchant_id: string; correlation_id: string })[]>(
      `select payment_intent_id, number, merchant_id, correlation_id from ${db.schema}.payment_attempts
       where status = 'running' and resolve_at <= now() order by resolve_at limit ${batch}`,
    ),
  )
  await runConcurrently(
    due,
    { concurrency, name: 'resolve attempts', logger },
    ({ merchant_id, correlation_id, ...key }) =>
      inNewTrace('resolve attempt', {}, () => inCall({ merchant_id, correlation_id }, () => resolveAttempt(db, key))),
  )
}

function resolveAttempt(db: Database, key: PaymentAttemptKey): Promise<void> {
  return db.write(async (tx, _emit, send) => {
    // The guard on resolve_at makes one of several replicas the one that asks.
    const now = new Date()
    const attempt = await tx.findOne(PaymentAttemptEntity, { ...key, status: 'running', resolve_at: { $lte: now } })
    if (!attempt) return
    const taken = await tx.nativeUpdate(
      PaymentAttemptEntity,
      { ...key, status: 'running', resolve_count: attempt.resolve_count },
      {
        resolve_at: new Date(now.getTime() + (waitsMs[attempt.resolve_count] ?? lastWaitMs)),
        resolve_count: attempt.resolve_count + 1,
      },
    )
    if (taken === 0) return
    const payable = await tx.findOneOrFail(payableEntity(attempt.payable_id), { id: attempt.payable_id })
    send('payment.resolve', attemptCommand(payable, attempt))
  })
}
