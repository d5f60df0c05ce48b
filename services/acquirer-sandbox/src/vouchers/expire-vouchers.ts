import type { Database } from '@cobro/database'
import { LockMode } from '@mikro-orm/core'
import { storeNotification } from '../notifications/store-notification.ts'
import { IssuedVoucherEntity } from './issued-voucher-entity.ts'
import { tellIssued } from './tell-voucher.ts'

const batch = 100

/** Expires what is due and was not paid, each voucher once, on any number of replicas. */
export async function expireVouchers({ db }: { db: Database }): Promise<void> {
  for (;;) if ((await expireSome(db)) < batch) return
}

function expireSome(db: Database): Promise<number> {
  return db.write(async tx => {
    const now = new Date()
    const due = await tx.find(
      IssuedVoucherEntity,
      { status: 'pending', due_at: { $lte: now } },
      { limit: batch, orderBy: { due_at: 'asc' }, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE },
    )
    for (const voucher of due) {
      voucher.status = 'expired'
      storeNotification(tx, 'voucher.expired', { ...tellIssued(voucher), status: 'expired' }, now)
    }
    return due.length
  })
}
