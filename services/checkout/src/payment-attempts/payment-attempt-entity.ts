import type { CommandData, Id, PayableId, paymentMethods, voucher } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { z } from 'zod'
import type { PaymentAttemptStatus } from './payment-attempt-states.ts'

/** An attempt to pay a session or link. */
export const PaymentAttemptEntity = defineEntity({
  name: 'PaymentAttempt',
  tableName: 'payment_attempts',
  properties: {
    payment_intent_id: p.text().$type<Id<'pi'>>().primary(),
    number: p.integer().primary(),
    payable_id: p.text().$type<PayableId>(),
    merchant_id: p.text().$type<Id<'mrc'>>(),
    correlation_id: p.text().$type<Id<'corr'>>(),
    payment_method: p.text().$type<(typeof paymentMethods)[number]>(),
    status: p.text().$type<PaymentAttemptStatus>(),
    amount_cents: p.bigint('number'),
    currency: p.text(),
    card: p.json<CommandData<'payment.resolve'>['card']>().strictNullable(),
    payer_email: p.text().strictNullable(),
    /** `due_at` is an ISO 8601 string in JSON. */
    voucher: p.json<z.input<typeof voucher>>().strictNullable(),
    decline_reason: p.text().strictNullable(),
    transaction_id: p.text().$type<Id<'txn'>>().strictNullable(),
    deadline: p.datetime(3),
    /** When transactions is asked for the outcome of an attempt that still runs. */
    resolve_at: p.datetime(3).strictNullable(),
    resolve_count: p.integer(),
    idempotency_id: p.text().strictNullable(),
    /** The payer's address and the card, as rules count them; removed when none does any more. */
    address_digest: p.text().strictNullable(),
    card_fingerprint: p.text().strictNullable(),
    created_at: p.datetime(3),
    /** When the last outcome arrived. "Settled" has nothing to do with merchant payouts here. */
    settled_at: p.datetime(3).strictNullable(),
  },
})

export type PaymentAttemptRow = InferEntity<typeof PaymentAttemptEntity>

/** The primary key of an attempt: its payment intent and its number within it. */
export type PaymentAttemptKey = Pick<PaymentAttemptRow, 'payment_intent_id' | 'number'>
