import type { IssuedVoucher } from '@cobro/acquirer'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A voucher. A key that was ended before a voucher was issued has neither barcode nor amount. */
export const IssuedVoucherEntity = defineEntity({
  name: 'IssuedVoucher',
  tableName: 'vouchers',
  properties: {
    key: p.string().primary(),
    reference: p.string().unique(),
    barcode: p.string().strictNullable(),
    amount_cents: p.bigint('number').strictNullable(),
    currency: p.string().strictNullable(),
    concept: p.string().strictNullable(),
    due_at: p.datetime(3).strictNullable(),
    status: p.string().$type<IssuedVoucher['status'] | 'reversed'>(),
    paid_at: p.datetime(3).strictNullable(),
    created_at: p.datetime(3),
  },
})

export type IssuedVoucherRow = InferEntity<typeof IssuedVoucherEntity>
