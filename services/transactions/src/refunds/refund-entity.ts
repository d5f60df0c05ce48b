import type { RefundFailure } from '@cobro/acquirer'
import type { Transaction } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** One try to give a payment back. Its id is the key that the acquirer knows it by. */
export const RefundEntity = defineEntity({
  name: 'Refund',
  tableName: 'refunds',
  properties: {
    id: p.text().primary(),
    transaction_id: p.text(),
    merchant_id: p.text(),
    correlation_id: p.text(),
    /** Where in which trace it was begun. */
    traceparent: p.text().strictNullable(),
    payment_method: p.text().$type<Transaction['payment_method']>(),
    /** The acquirer's key of the charge or voucher that brought the money. */
    payment_key: p.text(),
    amount_cents: p.bigint('number'),
    currency: p.text(),
    status: p.text().$type<NonNullable<Transaction['refund_status']>>(),
    /** Nobody asked for it: we took what we had no right to, and try until it is given back. */
    owed: p.boolean(),
    /** The acquirer cannot give it back: somebody has to, by a transfer. */
    by_hand: p.boolean(),
    failure_reason: p.text().$type<RefundFailure>().strictNullable(),
    acquirer_reference: p.text().strictNullable(),
    asked_at: p.datetime(3).strictNullable(),
    next_check_at: p.datetime(3).strictNullable(),
    check_count: p.integer(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type RefundRow = InferEntity<typeof RefundEntity>
