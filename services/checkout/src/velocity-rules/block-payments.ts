import { ApiError, newId, type VelocityRule, velocityRules } from '@cobro/contracts'
import { type Emit, findRows, newRow, type Tx } from '@cobro/database'
import { meter } from '@cobro/runtime'
import { isLink, type Payable, touch } from '../payables/payable.ts'
import { inForce, PaymentBlockEntity, type PaymentBlockRow } from './payment-block-entity.ts'
import type { VelocityLimit } from './velocity-settings.ts'

const refusals = meter.createCounter('cobro_payments_blocked_total', {
  description: 'Payments that a rule against card testing refused, by rule',
})

// A series that starts with its first refusal shows no increase, so each rule starts at zero.
for (const rule of velocityRules) refusals.add(0, { rule })

const emitIntervalMs = 60_000

interface Exceeded {
  /** Locked. */
  payable: Payable
  rule: VelocityRule
  subject: string
  limit: VelocityLimit
  now: Date
}

/**
 * Blocks a subject for the window of the rule that it exceeded, and returns the block that is in force. Of several payments that
 * exceed it at once, one begins the block. Sessions and links are locked before subjects, so that no two wait for each other.
 */
export async function blockPayments(tx: Tx, exceeded: Exceeded): Promise<PaymentBlockRow> {
  const { rule, subject, payable, now } = exceeded
  await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [
    `checkout.payment_blocks.${rule}.${subject}`,
  ])
  const [known] = await findRows(tx, PaymentBlockEntity, `subject = ? and rule = ? and ${inForce}`, [
    subject,
    rule,
    now,
  ])
  const block = known ?? newBlock(tx, exceeded)
  // The page of a link shows when it can be paid again.
  if (subject === payable.id && isLink(payable)) {
    payable.blocked_until = block.ends_at
    touch(payable, now)
  }
  return block
}

function newBlock(tx: Tx, { rule, subject, payable, limit, now }: Exceeded): PaymentBlockRow {
  const { id, merchant_id, correlation_id } = payable
  return newRow(tx, PaymentBlockEntity, {
    ...{ id: newId('pbl'), rule, subject, payable_id: id, merchant_id, correlation_id },
    max_attempts: limit.max,
    window_seconds: limit.windowMs / 1000,
    created_at: now,
    ends_at: new Date(now.getTime() + limit.windowMs),
  })
}

/** What a refusal says of a block. */
export type BlockReason = Pick<PaymentBlockRow, 'id' | 'rule' | 'max_attempts' | 'window_seconds' | 'ends_at'>

/** Emits `payment.blocked` for a locked session or link, at most once a minute: a script may try thousands of cards. */
export function emitBlocked(emit: Emit, payable: Payable, block: BlockReason, now: Date): void {
  const emittedAt = payable.blocked_emitted_at?.getTime() ?? 0
  if (now.getTime() - emittedAt < emitIntervalMs) return
  payable.blocked_emitted_at = now
  const { rule, max_attempts, window_seconds, ends_at } = block
  const { id, merchant_id, correlation_id } = payable
  emit('payment.blocked', {
    ...{ id, block_id: block.id, rule, max_attempts, window_seconds, ends_at },
    ...{ merchant_id, correlation_id },
  })
}

/** Counts a refused payment, and returns the error for the payer. It does not say what was counted: that would help who tests cards. */
export function refusalOf({ rule, ends_at }: Pick<BlockReason, 'rule' | 'ends_at'>, now: Date): ApiError {
  refusals.add(1, { rule })
  const seconds = Math.max(Math.ceil((ends_at.getTime() - now.getTime()) / 1000), 1)
  const what = rule.endsWith('_declines') ? 'declined payments' : 'payments'
  return new ApiError('rate_limited', `too many ${what}`, {
    headers: { 'Retry-After': String(seconds) },
  })
}
