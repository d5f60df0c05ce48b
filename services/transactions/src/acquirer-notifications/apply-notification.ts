import type { AcquirerNotification } from '@cobro/acquirer'
import { isId } from '@cobro/contracts'
import { updateCallContext } from '@cobro/runtime'
import { resolveCharge } from '../charges/resolve-charge.ts'
import { RefundEntity } from '../refunds/refund-entity.ts'
import { type ReportContext, resolveRefund } from '../refunds/resolve-refund.ts'
import { findTransactionByAcquirerKey } from '../transactions/acquirer-key.ts'
import { resolveVoucher } from '../vouchers/resolve-voucher.ts'
import { applyDisputeNotification } from './apply-dispute-notification.ts'

/** Applies a notification in the caller's transaction. Returns false when its object is unknown. */
export async function applyNotification(context: ReportContext, notification: AcquirerNotification): Promise<boolean> {
  const { tx, emit } = context
  switch (notification.of) {
    case 'charge':
    case 'voucher': {
      const row = await findTransactionByAcquirerKey(tx, notification.key)
      if (!row) return false
      updateCallContext(row)
      if (notification.of === 'charge') await resolveCharge(tx, emit, row.id, notification.outcome)
      else await resolveVoucher(tx, emit, row.id, notification.outcome)
      return true
    }
    case 'refund': {
      const refund = isId('rfd', notification.key) ? await tx.findOne(RefundEntity, { id: notification.key }) : null
      if (!refund) return false
      updateCallContext(refund)
      await resolveRefund(context, refund.id, notification.outcome, notification.created_at)
      return true
    }
    case 'dispute':
      return applyDisputeNotification(context, notification.dispute, notification.created_at)
    case 'unknown':
      return false
  }
}
