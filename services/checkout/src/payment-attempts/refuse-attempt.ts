import type { Database } from '@cobro/database'
import { blockPayments, emitBlocked, refusalOf } from '../velocity-rules/block-payments.ts'
import { exceededRule, type RuleCount } from '../velocity-rules/count-attempts.ts'
import type { VelocityLimits } from '../velocity-rules/velocity-settings.ts'
import { subjectOf } from '../velocity-rules/velocity-subjects.ts'
import { failUnsentAttempt } from './fail-unsent-attempt.ts'
import type { PaymentAttemptRow } from './payment-attempt-entity.ts'

export interface VelocityDeps {
  db: Database
  limits: VelocityLimits
}

/**
 * If the counts of a committed attempt exceed a rule, fails it, blocks what the rule counted for the rule's window
 * and throws a 429. Called before the acquirer is: an attempt that was refused reaches it no further.
 */
export async function refuseTooMany(
  { db, limits }: VelocityDeps,
  attempt: PaymentAttemptRow,
  counts: readonly RuleCount[],
): Promise<void> {
  const rule = exceededRule(limits, counts)
  const subject = rule && subjectOf(rule, attempt)
  if (!subject) return
  const now = new Date()
  const block = await db.write(async (tx, emit) => {
    const payable = await failUnsentAttempt(tx, emit, attempt, 'refused')
    const exceeding = await blockPayments(tx, { payable, rule, subject, limit: limits[rule], now })
    emitBlocked(emit, payable, exceeding, now)
    return exceeding
  })
  throw refusalOf(block, now)
}
