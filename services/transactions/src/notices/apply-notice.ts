import type { AcquirerNotification } from '@cobro/acquirer'
import type { Emit, Tx } from '@cobro/database'
import { type Logger, updateCallContext } from '@cobro/runtime'
import { RefundEntity } from '../refunds/refund-entity.ts'
import { settleRefund } from '../refunds/settle-refund.ts'
import { findByKey } from '../transactions/acquirer-key.ts'
import { settleTransaction } from '../transactions/settle-transaction.ts'
import { settleVoucher } from '../vouchers/settle-voucher.ts'
import { applyDispute } from './apply-dispute.ts'

/** What a notice has its effect in. */
export interface Applying {
  tx: Tx
  emit: Emit
  logger: Logger
}

/** Gives a notice its effect, in the caller's transaction. Gives false where it is about nothing that we know. */
export async function applyNotice(applying: Applying, notice: AcquirerNotification): Promise<boolean> {
  const { tx, emit } = applying
  switch (notice.of) {
    case 'charge': {
      const row = await findByKey(tx, notice.key)
      if (!row) return false
      updateCallContext(row)
      await settleTransaction(tx, emit, row.id, notice.outcome)
      return true
    }
    case 'voucher': {
      const row = await findByKey(tx, notice.key)
      if (!row) return false
      updateCallContext(row)
      await settleVoucher(tx, emit, row.id, notice.outcome)
      return true
    }
    case 'refund': {
      const refund = await tx.findOne(RefundEntity, { id: notice.key })
      if (!refund) return false
      updateCallContext(refund)
      await settleRefund(applying, refund.id, notice.outcome)
      return true
    }
    case 'dispute':
      return applyDispute(applying, notice.dispute, notice.created_at)
    case 'unknown':
      return false
  }
}
