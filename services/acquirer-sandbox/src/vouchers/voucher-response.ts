import type { IssuedVoucher, VoucherResponse } from '@cobro/acquirer'
import type { IssuedVoucherRow } from './issued-voucher-entity.ts'

/** Returns the response about a voucher. The voucher of a reversed key has failed. */
export function voucherResponse(row: IssuedVoucherRow): VoucherResponse {
  return row.status === 'reversed' ? { key: row.key, status: 'failed' } : issuedVoucher(row)
}

/** Returns an issued voucher. A constraint of the table guarantees that its fields are not null. */
export function issuedVoucher(row: IssuedVoucherRow): IssuedVoucher {
  const { key, status, reference, barcode, amount_cents, currency, due_at, paid_at } = row
  return { key, status, reference, barcode, amount_cents, currency, due_at, paid_at: paid_at ?? null } as IssuedVoucher
}
