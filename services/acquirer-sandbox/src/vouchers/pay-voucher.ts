import type { IssuedVoucher } from '@cobro/acquirer'
import { ApiError } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { LockMode } from '@mikro-orm/core'
import { storeNotification } from '../notifications/store-notification.ts'
import { IssuedVoucherEntity } from './issued-voucher-entity.ts'
import { issuedVoucher } from './voucher-response.ts'

/** Pays a voucher, even an expired or withdrawn one: stores may report payments late. */
export async function payVoucher({ db }: { db: Database }, reference: string): Promise<IssuedVoucher> {
  return db.write(async tx => {
    const locked = { lockMode: LockMode.PESSIMISTIC_WRITE }
    const voucher = await tx.findOne(IssuedVoucherEntity, { reference }, locked)
    if (!voucher || voucher.status === 'reversed') throw new ApiError('not_found')
    if (voucher.status === 'paid') throw new ApiError('conflict', 'the voucher is paid already')
    voucher.status = 'paid'
    voucher.paid_at = new Date()
    const paid = issuedVoucher(voucher)
    storeNotification(tx, 'voucher.paid', { ...paid, status: 'paid' }, voucher.paid_at)
    return paid
  })
}
