import { randomUUID } from 'node:crypto'
import type { NotFoundResponse, ReversedResponse, VoucherResponse } from '@cobro/acquirer'
import type { Database } from '@cobro/database'
import { LockMode } from '@mikro-orm/core'
import { claimIdempotencyKey } from '../idempotency/claim-idempotency-key.ts'
import { IssuedVoucherEntity } from './issued-voucher-entity.ts'
import { voucherResponse } from './voucher-response.ts'

/** Returns the voucher of a key, or `not_found`. */
export async function findVoucher({ db }: { db: Database }, key: string): Promise<VoucherResponse | NotFoundResponse> {
  const voucher = await db.read(em => em.findOne(IssuedVoucherEntity, { key }))
  return voucher ? voucherResponse(voucher) : { key, status: 'not_found' }
}

/** Withdraws a pending voucher, returns any other one unchanged, or reverses an unused key. */
export async function withdrawVoucher(
  { db }: { db: Database },
  key: string,
): Promise<VoucherResponse | ReversedResponse> {
  return db.write(async tx => {
    const reversal = { key, reference: randomUUID(), status: 'reversed' as const, created_at: new Date() }
    await claimIdempotencyKey(tx, IssuedVoucherEntity, reversal)
    const locked = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true }
    const voucher = await tx.findOneOrFail(IssuedVoucherEntity, { key }, locked)
    if (voucher.status === 'reversed') return { key, status: 'reversed' }
    if (voucher.status === 'pending') voucher.status = 'withdrawn'
    return voucherResponse(voucher)
  })
}
