import { ApiError } from '@cobro/contracts'
import { type Database, type Emit, newRow, type Tx } from '@cobro/database'
import { lockSession } from '../checkout-sessions/lock-session.ts'
import type { SessionRow } from '../checkout-sessions/session-entity.ts'
import { knownMerchant } from '../merchants/known-merchant.ts'
import { AttemptEntity, type AttemptRow, findRunningAttempt } from './attempt-entity.ts'
import { deadlineMs, resolveDelayMs } from './attempt-limits.ts'

interface Payment {
  amount_cents?: number | undefined
  payer_email?: string | null | undefined
  /** What the call's Idempotency-Key stands for. */
  idempotencyId?: string | undefined
}

/** An attempt that a call began; `repeated` where it did so before, under the same key. */
interface Begun {
  session: SessionRow
  attempt: AttemptRow
  repeated: boolean
}

const duplicateEveryMs = 60_000

/** Starts an attempt on a session that may be paid, and commits it as running before anything is sent. */
export async function beginAttempt(db: Database, sessionId: string, payment: Payment): Promise<Begun> {
  const begun = await db.write(async (tx, emit) => {
    const session = await lockSession(tx, sessionId)
    const earlier = await findRepeated(tx, session, payment)
    if (earlier) return { session, attempt: earlier, repeated: true }
    // Not before: waiting for the lock may have taken longer than the session had left.
    const now = new Date()
    if (session.status === 'completed') return tellDuplicate(emit, session, now)
    await refuseUnpayable(tx, session, payment, now)
    session.attempt_count += 1
    return { session, attempt: newAttempt(tx, session, payment, now), repeated: false }
  })
  // Thrown out here, so that the event about it is kept.
  if (!begun) throw new ApiError('conflict', 'the session is completed')
  return begun
}

/** Takes back an attempt whose card could not be read: it does not count. One that was asked about already keeps its number. */
export async function forgetAttempt(db: Database, attempt: AttemptRow): Promise<void> {
  const { payment_intent_id, number, payable_id } = attempt
  await db.write(async tx => {
    const session = await lockSession(tx, payable_id)
    const key = { payment_intent_id, number, status: 'running' as const, resolve_count: 0 }
    session.attempt_count -= await tx.nativeDelete(AttemptEntity, key)
  })
}

function tellDuplicate(emit: Emit, session: SessionRow, now: Date): undefined {
  const told = session.duplicate_told_at?.getTime() ?? 0
  if (now.getTime() - told < duplicateEveryMs) return
  session.duplicate_told_at = now
  emit('payment.duplicate', session as never)
}

/** The attempt of an earlier call under the same key. One that failed charged nothing, so that the call may try again. */
async function findRepeated(tx: Tx, session: SessionRow, { idempotencyId }: Payment): Promise<AttemptRow | null> {
  if (idempotencyId === undefined) return null
  const { payment_intent_id } = session
  return tx.findOne(AttemptEntity, { payment_intent_id, idempotency_id: idempotencyId, status: { $ne: 'failed' } })
}

async function refuseUnpayable(tx: Tx, session: SessionRow, payment: Payment, now: Date): Promise<void> {
  const refuse = (why: string) => {
    throw new ApiError('conflict', why)
  }
  if (session.status !== 'pending') refuse(`the session is ${session.status}`)
  if (session.expires_at <= now) refuse('the session is expired')
  if (!session.payment_method_types.includes('card')) refuse('the session does not take cards')
  if (payment.amount_cents !== undefined && payment.amount_cents !== session.amount_total)
    refuse('amount_cents: the amount has changed')
  if (await findRunningAttempt(tx, session.id)) refuse('a payment is running')
  const merchant = await knownMerchant(tx, session.merchant_id)
  if (merchant.status === 'disabled') refuse('the merchant takes no payments at present')
}

function newAttempt(tx: Tx, session: SessionRow, payment: Payment, now: Date): AttemptRow {
  const deadline = new Date(now.getTime() + deadlineMs)
  return newRow(tx, AttemptEntity, {
    payment_intent_id: session.payment_intent_id,
    number: session.attempt_count,
    payable_id: session.id,
    merchant_id: session.merchant_id,
    correlation_id: session.correlation_id,
    status: 'running',
    amount_cents: session.amount_total,
    currency: session.currency,
    payer_email: payment.payer_email ?? session.customer?.email ?? null,
    deadline,
    resolve_at: new Date(deadline.getTime() + resolveDelayMs),
    resolve_count: 0,
    idempotency_id: payment.idempotencyId ?? null,
    created_at: now,
  })
}
