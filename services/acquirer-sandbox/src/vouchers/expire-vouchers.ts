import type { Database } from '@cobro/database'
import { LockMode } from '@mikro-orm/core'
import { storeNotification } from '../notifications/store-notification.ts'
import { IssuedVoucherEntity } from './issued-voucher-entity.ts'
import { issuedVoucher } from './voucher-response.ts'

const batch = 100

/** Expires due unpaid vouchers, each on one replica only. Returns whether there may be more. */
export function expireVouchers(db: Database): Promise<boolean> {
  return db.write(async tx => {
    const now = new Date()
    const due = await tx.find(
      IssuedVoucherEntity,
      { status: 'pending', due_at: { $lte: now } },
      { limit: batch, orderBy: { due_at: 'asc' }, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE },
    )
    for (const voucher of due) {
      voucher.status = 'expired'
      storeNotification(tx, 'voucher.expired', { ...issuedVoucher(voucher), status: 'expired' }, now)
    }
    return due.length === batch
  })
}
