import { randomInt } from 'node:crypto'
import type { VoucherRequest, VoucherResponse } from '@cobro/acquirer'
import { ApiError } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { claimIdempotencyKey } from '../idempotency/claim-idempotency-key.ts'
import { IssuedVoucherEntity, type IssuedVoucherRow } from './issued-voucher-entity.ts'
import { voucherBarcode, voucherReference } from './voucher-numbers.ts'
import { voucherResponse } from './voucher-response.ts'

const references = 1e12

/** Issues a voucher, once per key. */
export async function issueVoucher({ db }: { db: Database }, request: VoucherRequest): Promise<VoucherResponse> {
  const reference = voucherReference(randomInt(references))
  const barcode = voucherBarcode({ ...request, reference })
  const claim = { ...request, reference, barcode, status: 'pending' as const, created_at: new Date() }
  const { row, created } = await db.write(tx => claimIdempotencyKey(tx, IssuedVoucherEntity, claim))
  if (!created && row.status !== 'reversed') rejectOtherBody(row, request)
  return voucherResponse(row)
}

function rejectOtherBody(row: IssuedVoucherRow, { amount_cents, currency, due_at, concept }: VoucherRequest): void {
  const same =
    row.amount_cents === amount_cents &&
    row.currency === currency &&
    row.due_at?.getTime() === due_at.getTime() &&
    (row.concept ?? undefined) === concept
  if (!same) throw new ApiError('idempotency_mismatch', 'the key belongs to another voucher')
}
