import type { RefundFailure, RefundResponse } from '@cobro/acquirer'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/**
 * The outcome of a refund key, decided at first use; `processing` in responses until `settles_at`.
 * A key that was reversed before any refund arrived names no payment.
 */
export const AcquirerRefundEntity = defineEntity({
  name: 'AcquirerRefund',
  tableName: 'refunds',
  properties: {
    key: p.string().primary(),
    reference: p.string().unique(),
    charge_key: p.string().strictNullable(),
    voucher_key: p.string().strictNullable(),
    amount_cents: p.bigint('number').strictNullable(),
    currency: p.string().strictNullable(),
    status: p.string().$type<Exclude<RefundResponse['status'], 'processing'> | 'reversed'>(),
    failure_code: p.string().$type<RefundFailure>().strictNullable(),
    /** When the outcome is reported. The name has nothing to do with payouts to merchants. */
    settles_at: p.datetime(3),
    created_at: p.datetime(3),
  },
})

export type AcquirerRefundRow = InferEntity<typeof AcquirerRefundEntity>
