import { randomInt } from 'node:crypto'
import type { VoucherRequest, VoucherResponse } from '@cobro/acquirer'
import type { Database } from '@cobro/database'
import { claimIdempotencyKey, rejectOtherBody } from '../idempotency/claim-idempotency-key.ts'
import { IssuedVoucherEntity } from './issued-voucher-entity.ts'
import { voucherBarcode, voucherReference } from './voucher-numbers.ts'
import { voucherResponse } from './voucher-response.ts'

const references = 1e12
const fields = ['amount_cents', 'currency', 'due_at', 'concept'] as const

/** Issues a voucher, once per key. */
export async function issueVoucher({ db }: { db: Database }, request: VoucherRequest): Promise<VoucherResponse> {
  const reference = voucherReference(randomInt(references))
  const barcode = voucherBarcode({ ...request, reference })
  const claim = { ...request, reference, barcode, status: 'pending' as const, created_at: new Date() }
  const { row, created } = await db.write(tx => claimIdempotencyKey(tx, IssuedVoucherEntity, claim))
  if (!created && row.status !== 'reversed') rejectOtherBody(row, request, fields, 'voucher')
  return voucherResponse(row)
}
