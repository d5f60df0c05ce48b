import type { IssuedVoucher } from '@cobro/acquirer'
import { ApiError } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { LockMode } from '@mikro-orm/core'
import { storeNotification } from '../notifications/store-notification.ts'
import { IssuedVoucherEntity } from './issued-voucher-entity.ts'
import { tellIssued } from './tell-voucher.ts'

/**
 * Pays a voucher, as the payer at the counter would. An expired or withdrawn one is paid too: counters report late, and the
 * money is there all the same.
 */
export async function payVoucher({ db }: { db: Database }, reference: string): Promise<IssuedVoucher> {
  return db.write(async tx => {
    const locked = { lockMode: LockMode.PESSIMISTIC_WRITE }
    const voucher = await tx.findOne(IssuedVoucherEntity, { reference }, locked)
    if (!voucher || voucher.status === 'reversed') throw new ApiError('not_found')
    if (voucher.status === 'paid') throw new ApiError('conflict', 'the voucher is paid already')
    voucher.status = 'paid'
    voucher.paid_at = new Date()
    const told = tellIssued(voucher)
    storeNotification(tx, 'voucher.paid', { ...told, status: 'paid' }, voucher.paid_at)
    return told
  })
}
