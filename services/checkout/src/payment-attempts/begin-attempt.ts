import { ApiError, type PayableId } from '@cobro/contracts'
import { type Emit, newRow, type Tx } from '@cobro/database'
import { timings } from '@cobro/runtime'
import { lockPayable } from '../payables/lock-payable.ts'
import { amountOf, isLink, isOpen, labelOf, type Payable, payerEmailOf } from '../payables/payable.ts'
import { emitBlocked, refusalOf } from '../velocity-rules/block-payments.ts'
import { countStatement, type RuleCount, rulesBeforeCard } from '../velocity-rules/count-attempts.ts'
import { digestOfAddress } from '../velocity-rules/velocity-subjects.ts'
import { findCircumstances } from './find-circumstances.ts'
import { PaymentAttemptEntity, type PaymentAttemptRow } from './payment-attempt-entity.ts'
import type { VelocityDeps } from './refuse-attempt.ts'

interface Payment {
  method: PaymentAttemptRow['payment_method']
  amount_cents?: number | undefined
  payer_email?: string | null | undefined
  /** Identifies the call by its Idempotency-Key. */
  idempotencyId?: string | undefined
  /** The payer's address as the gateway names it. */
  address?: string | undefined
}

interface BegunAttempt {
  payable: Payable
  attempt: PaymentAttemptRow
  /** An earlier call began it: with the same idempotency key or with a voucher still payable. */
  repeated: boolean
  /** What the rules before the card count, once the attempt is committed. None for an earlier attempt. */
  counts: RuleCount[]
}

type Begun = Omit<BegunAttempt, 'counts'>

const duplicateIntervalMs = 60_000

/** Begins an attempt on an open session or link: commits it as `running` before any command. */
export async function beginAttempt(
  { db, limits }: VelocityDeps,
  payableId: PayableId,
  payment: Payment,
): Promise<BegunAttempt> {
  const begin = async (tx: Tx, emit: Emit): Promise<Begun | ApiError> => {
    const payable = await lockPayable(tx, payableId)
    // The time is read after the lock, because the session may have expired while this call waited for it.
    const now = new Date()
    const address_digest = digestOfAddress(payment.address)
    const beginning = { schema: db.schema, idempotencyId: payment.idempotencyId, address_digest, now }
    const { repeated, open, disabled, block } = await findCircumstances(tx, payable, beginning)
    const earlier = repeated ?? voucherOf(open, payable, payment, now)
    if (earlier) return { payable, attempt: earlier, repeated: true }
    if (payable.status === 'completed' || payable.status === 'paid') {
      emitDuplicate(emit, payable, now)
      return new ApiError('conflict', `${labelOf(payable)} is ${payable.status}`)
    }
    rejectUnpayable(payable, payment, { open, now, disabled })
    if (block) {
      emitBlocked(emit, payable, block, now)
      return refusalOf(block, now)
    }
    if (isLink(payable)) rejectBlocked(payable.blocked_until, now)
    payable.attempt_count += 1
    return { payable, attempt: newAttempt(tx, payable, { ...payment, address_digest }, now), repeated: false }
  }
  const { result: begun, rows: counts } = await db.writeThenRead<Begun | ApiError, RuleCount>(begin, result =>
    result instanceof ApiError || result.repeated
      ? undefined
      : countStatement(db.schema, limits, rulesBeforeCard, result.attempt),
  )
  // Thrown outside of the transaction, so that the event is committed.
  if (begun instanceof ApiError) throw begun
  return { ...begun, counts }
}

/** Emits `payment.duplicate`, at most once a minute. */
function emitDuplicate(emit: Emit, payable: Payable, now: Date): void {
  const emittedAt = payable.duplicate_told_at?.getTime() ?? 0
  if (now.getTime() - emittedAt < duplicateIntervalMs) return
  payable.duplicate_told_at = now
  emit('payment.duplicate', payable)
}

/** Returns the open attempt if its voucher can be paid, for a cash payment. Rejects other payments. */
function voucherOf(open: PaymentAttemptRow | undefined, payable: Payable, payment: Payment, now: Date) {
  if (open?.status !== 'pending' || payable.expires_at <= now) return undefined
  if (payment.method !== 'cash') throw new ApiError('conflict', 'a voucher for cash is out')
  rejectOtherAmount(payable, payment)
  return open
}

/** Rejects a payment whose page showed another amount. */
function rejectOtherAmount(payable: Payable, { amount_cents }: Payment): void {
  if (amount_cents === undefined || amount_cents === amountOf(payable)) return
  throw new ApiError('conflict', 'amount_cents: the amount has changed')
}

interface Circumstances {
  open: PaymentAttemptRow | undefined
  now: Date
  disabled: boolean
}

function rejectUnpayable(payable: Payable, payment: Payment, { open, now, disabled }: Circumstances): void {
  const reject = (reason: string) => {
    throw new ApiError('conflict', reason)
  }
  if (!isOpen(payable)) reject(`${labelOf(payable)} is ${payable.status}`)
  if (payable.expires_at <= now) reject(`${labelOf(payable)} is expired`)
  if (!payable.payment_method_types.includes(payment.method))
    reject(`${labelOf(payable)} does not take ${payment.method}`)
  rejectOtherAmount(payable, payment)
  if (open) reject('a payment is running')
  if (disabled) reject('the merchant takes no payments at present')
}

/** Rejects payments of a link that a replica of the previous release has blocked. */
function rejectBlocked(until: Date | null, now: Date): void {
  if (until === null || until <= now) return
  const seconds = Math.ceil((until.getTime() - now.getTime()) / 1000)
  throw new ApiError('rate_limited', 'too many declined payments', { headers: { 'Retry-After': String(seconds) } })
}

function newAttempt(
  tx: Tx,
  payable: Payable,
  payment: Payment & { address_digest: string | null },
  now: Date,
): PaymentAttemptRow {
  const deadline = new Date(now.getTime() + timings.deadline)
  return newRow(tx, PaymentAttemptEntity, {
    payment_intent_id: payable.payment_intent_id,
    number: payable.attempt_count,
    payable_id: payable.id,
    merchant_id: payable.merchant_id,
    correlation_id: payable.correlation_id,
    payment_method: payment.method,
    status: 'running',
    amount_cents: amountOf(payable),
    currency: payable.currency,
    payer_email: payment.payer_email ?? payerEmailOf(payable),
    deadline,
    resolve_at: new Date(deadline.getTime() + timings.resolve),
    resolve_count: 0,
    idempotency_id: payment.idempotencyId ?? null,
    address_digest: payment.address_digest,
    created_at: now,
  })
}
