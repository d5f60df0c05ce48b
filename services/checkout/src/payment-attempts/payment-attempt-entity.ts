import {
  ApiError,
  type CommandData,
  type EventData,
  type paymentMethods,
  type voucher as voucherOnPage,
} from '@cobro/contracts'
import type { Reader, Tx } from '@cobro/database'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { z } from 'zod'

/** `pending` is an attempt to pay in cash whose voucher is out. It freezes nothing, as one that is `running` does. */
export type PaymentAttemptStatus = 'running' | EventData<'payment_attempt.settled'>['status']

/** One attempt to pay a session or link. `resolve_at` is when transactions is asked what became of one that still runs. */
export const PaymentAttemptEntity = defineEntity({
  name: 'PaymentAttempt',
  tableName: 'payment_attempts',
  properties: {
    payment_intent_id: p.text().primary(),
    number: p.integer().primary(),
    payable_id: p.text(),
    merchant_id: p.text(),
    correlation_id: p.text(),
    payment_method: p.text().$type<(typeof paymentMethods)[number]>(),
    status: p.text().$type<PaymentAttemptStatus>(),
    amount_cents: p.bigint('number'),
    currency: p.text(),
    card: p.json<CommandData<'payment.resolve'>['card']>().strictNullable(),
    payer_email: p.text().strictNullable(),
    voucher: p.json<KeptVoucher>().strictNullable(),
    decline_reason: p.text().strictNullable(),
    transaction_id: p.text().strictNullable(),
    deadline: p.datetime(3),
    resolve_at: p.datetime(3).strictNullable(),
    resolve_count: p.integer(),
    idempotency_id: p.text().strictNullable(),
    created_at: p.datetime(3),
    settled_at: p.datetime(3).strictNullable(),
  },
})

export type PaymentAttemptRow = InferEntity<typeof PaymentAttemptEntity>

/** A voucher as it is kept: `due_at` is text in JSON. */
type KeptVoucher = z.input<typeof voucherOnPage>

/** The key of an attempt: its payment intent and its number under it. */
export interface PaymentAttemptKey {
  payment_intent_id: string
  number: number
}

/** Refuses what may not happen to a session or link while a payment runs or its outcome is unknown. */
export async function rejectWhilePaymentRuns(tx: Pick<Tx, 'findOne'>, payableId: string): Promise<void> {
  if (await findRunningAttempt(tx, payableId)) throw new ApiError('conflict', 'a payment is running')
}

/** The attempt that freezes a session or link, if any. */
export function findRunningAttempt(tx: Pick<Tx, 'findOne'>, payableId: string): Promise<PaymentAttemptRow | null> {
  return tx.findOne(PaymentAttemptEntity, { payable_id: payableId, status: 'running' })
}

/** The attempt whose voucher is out, if any. */
export function findVoucherAttempt(tx: Pick<Tx, 'findOne'>, payableId: string): Promise<PaymentAttemptRow | null> {
  return tx.findOne(PaymentAttemptEntity, { payable_id: payableId, status: 'pending' })
}

/** Whether a voucher was ever issued for a session or link. */
export async function hasIssuedVoucher(em: Reader, payableId: string): Promise<boolean> {
  return (await em.findOne(PaymentAttemptEntity, { payable_id: payableId, voucher: { $ne: null } })) !== null
}

/** The attempt that runs or whose voucher is out. There is never more than one. */
export function findOpenAttempt(em: Reader, payableId: string): Promise<PaymentAttemptRow | null> {
  return em.findOne(PaymentAttemptEntity, { payable_id: payableId, status: { $in: ['running', 'pending'] } })
}

/** The voucher of an attempt as payers see it. */
export function voucherForPayer({ voucher }: Pick<PaymentAttemptRow, 'voucher'>): {
  voucher?: z.output<typeof voucherOnPage>
} {
  return voucher ? { voucher: { ...voucher, due_at: new Date(voucher.due_at) } } : {}
}
