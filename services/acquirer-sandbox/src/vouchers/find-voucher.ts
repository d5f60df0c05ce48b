import { randomUUID } from 'node:crypto'
import type { NotFoundResponse, ReversedResponse, VoucherResponse } from '@cobro/acquirer'
import type { Database } from '@cobro/database'
import { LockMode } from '@mikro-orm/core'
import { claimKey } from '../claim-key.ts'
import { IssuedVoucherEntity } from './issued-voucher-entity.ts'
import { tellVoucher } from './tell-voucher.ts'

/** What a voucher's key came to, or that nothing has come under it yet. */
export async function findVoucher({ db }: { db: Database }, key: string): Promise<VoucherResponse | NotFoundResponse> {
  const voucher = await db.read(em => em.findOne(IssuedVoucherEntity, { key }))
  return voucher ? tellVoucher(voucher) : { key, status: 'not_found' }
}

/** Withdraws a pending voucher, or says what became of it before; takes a key that nothing has come under. */
export async function withdrawVoucher(
  { db }: { db: Database },
  key: string,
): Promise<VoucherResponse | ReversedResponse> {
  return db.write(async tx => {
    const nothing = { key, reference: randomUUID(), status: 'reversed' as const, created_at: new Date() }
    await claimKey(tx, IssuedVoucherEntity, nothing)
    const locked = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true }
    const voucher = await tx.findOneOrFail(IssuedVoucherEntity, { key }, locked)
    if (voucher.status === 'reversed') return { key, status: 'reversed' }
    if (voucher.status === 'pending') voucher.status = 'withdrawn'
    return tellVoucher(voucher)
  })
}
