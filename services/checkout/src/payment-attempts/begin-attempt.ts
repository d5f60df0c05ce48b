import { ApiError } from '@cobro/contracts'
import { type Database, type Emit, newRow, type Tx } from '@cobro/database'
import { currentMerchant } from '../merchants/current-merchant.ts'
import { lockPayable } from '../payables/lock-payable.ts'
import { amountOf, isLink, isOpen, labelOf, type Payable, payerEmailOf } from '../payables/payable.ts'
import {
  findVoucherAttempt,
  PaymentAttemptEntity,
  type PaymentAttemptRow,
  rejectWhilePaymentRuns,
} from './payment-attempt-entity.ts'
import { deadlineMs, resolveDelayMs } from './payment-limits.ts'

interface Payment {
  method: PaymentAttemptRow['payment_method']
  amount_cents?: number | undefined
  payer_email?: string | null | undefined
  /** What the call's Idempotency-Key stands for. */
  idempotencyId?: string | undefined
}

/** An attempt that a call began; `repeated` where one like it did so before: under the same key, or for a voucher that is out. */
interface Begun {
  payable: Payable
  attempt: PaymentAttemptRow
  repeated: boolean
}

const duplicateEveryMs = 60_000

/** Starts an attempt on a session or link that may be paid, and commits it as running before anything is sent. */
export async function beginAttempt(db: Database, payableId: string, payment: Payment): Promise<Begun> {
  const begun = await db.write(async (tx, emit) => {
    const payable = await lockPayable(tx, payableId)
    // Not before: waiting for the lock may have taken longer than the session had left.
    const now = new Date()
    const earlier = (await findRepeated(tx, payable, payment)) ?? (await findOutstanding(tx, payable, payment, now))
    if (earlier) return { payable, attempt: earlier, repeated: true }
    if (payable.status === 'completed' || payable.status === 'paid') {
      tellDuplicate(emit, payable, now)
      return `${labelOf(payable)} is ${payable.status}`
    }
    await refuseUnpayable(tx, payable, payment, now)
    payable.attempt_count += 1
    return { payable, attempt: newAttempt(tx, payable, payment, now), repeated: false }
  })
  // Thrown out here, so that the event about it is kept.
  if (typeof begun === 'string') throw new ApiError('conflict', begun)
  return begun
}

/** Takes back an attempt whose card could not be read: it does not count. One that was asked about already keeps its number. */
export async function discardAttempt(db: Database, attempt: PaymentAttemptRow): Promise<void> {
  const { payment_intent_id, number, payable_id } = attempt
  await db.write(async tx => {
    const payable = await lockPayable(tx, payable_id)
    const key = { payment_intent_id, number, status: 'running' as const, resolve_count: 0 }
    payable.attempt_count -= await tx.nativeDelete(PaymentAttemptEntity, key)
  })
}

function tellDuplicate(emit: Emit, payable: Payable, now: Date): void {
  const told = payable.duplicate_told_at?.getTime() ?? 0
  if (now.getTime() - told < duplicateEveryMs) return
  payable.duplicate_told_at = now
  emit('payment.duplicate', payable)
}

/** The attempt of an earlier call under the same key. One that failed charged nothing, so that the call may try again. */
async function findRepeated(tx: Tx, payable: Payable, { idempotencyId }: Payment): Promise<PaymentAttemptRow | null> {
  if (idempotencyId === undefined) return null
  const { payment_intent_id } = payable
  return tx.findOne(PaymentAttemptEntity, {
    payment_intent_id,
    idempotency_id: idempotencyId,
    status: { $ne: 'failed' },
  })
}

/** The attempt whose voucher is out: who asks for one again means that one. It takes the place of any other payment. */
async function findOutstanding(
  tx: Tx,
  payable: Payable,
  payment: Payment,
  now: Date,
): Promise<PaymentAttemptRow | null> {
  if (!isOpen(payable) || payable.expires_at <= now) return null
  const outstanding = await findVoucherAttempt(tx, payable.id)
  if (!outstanding) return null
  if (payment.method !== 'cash') throw new ApiError('conflict', 'a voucher for cash is out')
  refuseOtherAmount(payable, payment)
  return outstanding
}

/** The payer has seen another amount than is asked for. */
function refuseOtherAmount(payable: Payable, { amount_cents }: Payment): void {
  if (amount_cents === undefined || amount_cents === amountOf(payable)) return
  throw new ApiError('conflict', 'amount_cents: the amount has changed')
}

async function refuseUnpayable(tx: Tx, payable: Payable, payment: Payment, now: Date): Promise<void> {
  const refuse = (why: string) => {
    throw new ApiError('conflict', why)
  }
  if (!isOpen(payable)) refuse(`${labelOf(payable)} is ${payable.status}`)
  if (payable.expires_at <= now) refuse(`${labelOf(payable)} is expired`)
  if (!payable.payment_method_types.includes(payment.method))
    refuse(`${labelOf(payable)} does not take ${payment.method}`)
  refuseOtherAmount(payable, payment)
  await rejectWhilePaymentRuns(tx, payable.id)
  const { merchant_status } = await currentMerchant(tx, payable)
  if (merchant_status === 'disabled') refuse('the merchant takes no payments at present')
  if (isLink(payable)) refuseBlocked(payable.blocked_until ?? null, now)
}

/** A link that was declined too often is not ended for that, since anybody may have tried cards on it. */
function refuseBlocked(until: Date | null, now: Date): void {
  if (until === null || until <= now) return
  const seconds = Math.ceil((until.getTime() - now.getTime()) / 1000)
  throw new ApiError('rate_limited', 'too many declined payments', { headers: { 'Retry-After': String(seconds) } })
}

function newAttempt(tx: Tx, payable: Payable, payment: Payment, now: Date): PaymentAttemptRow {
  const deadline = new Date(now.getTime() + deadlineMs)
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
    resolve_at: new Date(deadline.getTime() + resolveDelayMs),
    resolve_count: 0,
    idempotency_id: payment.idempotencyId ?? null,
    created_at: now,
  })
}
