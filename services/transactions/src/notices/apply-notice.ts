import type { Dispute, Notice } from '@cobro/acquirer'
import { ApiError } from '@cobro/contracts'
import type { Emit, Tx } from '@cobro/database'
import { type Logger, learn } from '@cobro/runtime'
import { RefundEntity } from '../refunds/refund-entity.ts'
import { settleRefund } from '../refunds/settle-refund.ts'
import { findByKey } from '../transactions/acquirer-key.ts'
import { makeMove } from '../transactions/make-move.ts'
import { lockTransaction, settleTransaction } from '../transactions/settle-transaction.ts'
import { TransactionEntity } from '../transactions/transaction-entity.ts'
import { settleVoucher } from '../vouchers/settle-voucher.ts'

/** What a notice has its effect in. */
export interface Applying {
  tx: Tx
  emit: Emit
  logger: Logger
  schema: string
}

/** Gives a notice its effect, in the caller's transaction. Gives false where it is about nothing that we know. */
export async function applyNotice(applying: Applying, notice: Notice): Promise<boolean> {
  const { tx, emit } = applying
  switch (notice.of) {
    case 'charge': {
      const row = await findByKey(tx, notice.key)
      if (!row) return false
      learn(row)
      await settleTransaction(tx, emit, row.id, notice.outcome)
      return true
    }
    case 'voucher': {
      const row = await findByKey(tx, notice.key)
      if (!row) return false
      learn(row)
      await settleVoucher(tx, emit, row.id, notice.outcome)
      return true
    }
    case 'refund': {
      const refund = await tx.findOne(RefundEntity, { id: notice.key })
      if (!refund) return false
      learn(refund)
      await settleRefund(applying, refund.id, notice.outcome)
      return true
    }
    case 'dispute':
      return applyDispute(applying, notice.id, notice.dispute)
    case 'unknown':
      return false
  }
}

/**
 * A dispute takes the money along when it is first heard of, and gives it back when it was won. The end may come before the
 * beginning: then the beginning changes nothing, and a win that was never preceded by a loss neither.
 */
async function applyDispute({ tx, emit, schema }: Applying, noticeId: string, dispute: Dispute): Promise<boolean> {
  const attempt = await findByKey(tx, dispute.charge_key)
  if (!attempt) return false
  learn(attempt)
  const late = await tx.findOne(TransactionEntity, { late_payment_of: attempt.id })
  const row = await lockTransaction(tx, (late ?? attempt).id)
  // The charge was approved, and we are about to hear of it: this is told again meanwhile.
  if (!row.captured_at) throw new ApiError('unavailable', 'the payment is not settled yet')
  const heardOf = await tx.execute(
    `select 1 from ${schema}.acquirer_notices where type = 'dispute' and subject = ? and id <> ? limit 1`,
    [dispute.reference, noticeId],
  )
  const now = new Date()
  if (dispute.status !== 'won') {
    if (heardOf.length === 0) makeMove(emit, row, 'dispute', now)
  } else if (heardOf.length > 0) {
    makeMove(emit, row, row.refunded_at ? 'win_refunded' : 'win', now)
  }
  return true
}
