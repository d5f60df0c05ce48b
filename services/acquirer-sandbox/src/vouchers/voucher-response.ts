import type { IssuedVoucher, VoucherResponse } from '@cobro/acquirer'
import type { IssuedVoucherRow } from './issued-voucher-entity.ts'

/** What is told of a voucher's key. A reversed one is a voucher that was not issued, whoever asks for it. */
export function tellVoucher(row: IssuedVoucherRow): VoucherResponse {
  return row.status === 'reversed' ? { key: row.key, status: 'failed' } : tellIssued(row)
}

/** What is told of a voucher that was issued: the table sees to it that such a row lacks nothing. */
export function tellIssued(row: IssuedVoucherRow): IssuedVoucher {
  const { key, status, reference, barcode, amount_cents, currency, due_at, paid_at } = row
  return { key, status, reference, barcode, amount_cents, currency, due_at, paid_at: paid_at ?? null } as IssuedVoucher
}
