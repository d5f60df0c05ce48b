import type { Dispute, Notice } from '@cobro/acquirer'
import { ApiError, type DisputeStatus } from '@cobro/contracts'
import type { Emit, Tx } from '@cobro/database'
import { type Logger, learn } from '@cobro/runtime'
import { DisputeEntity, type DisputeRow } from '../disputes/dispute-entity.ts'
import { newsOfDispute } from '../disputes/dispute-states.ts'
import { beginDispute, moveDispute } from '../disputes/move-dispute.ts'
import { RefundEntity } from '../refunds/refund-entity.ts'
import { settleRefund } from '../refunds/settle-refund.ts'
import { findByKey } from '../transactions/acquirer-key.ts'
import { lockTransaction, settleTransaction } from '../transactions/settle-transaction.ts'
import { TransactionEntity } from '../transactions/transaction-entity.ts'
import { settleVoucher } from '../vouchers/settle-voucher.ts'

/** What a notice has its effect in. */
export interface Applying {
  tx: Tx
  emit: Emit
  logger: Logger
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
      return applyDispute(applying, notice.dispute)
    case 'unknown':
      return false
  }
}

/**
 * A dispute takes the money along when it is first heard of, and gives it back when it was won. The end may come before the
 * beginning: then the beginning changes nothing, and a win that was never preceded by a loss neither. One that was opened by
 * hand before the acquirer told of it is the same one.
 */
async function applyDispute({ tx, emit }: Applying, told: Dispute): Promise<boolean> {
  const attempt = await findByKey(tx, told.charge_key)
  if (!attempt) return false
  learn(attempt)
  const late = await tx.findOne(TransactionEntity, { late_payment_of: attempt.id })
  const row = await lockTransaction(tx, (late ?? attempt).id)
  // The charge was approved, and we are about to hear of it: this is told again meanwhile.
  if (!row.captured_at) throw new ApiError('unavailable', 'the payment is not settled yet')
  const known = await findDispute(tx, row.id, told.reference)
  const disputed = { tx, emit, row, now: new Date() }
  if (!known) {
    const { reference, charge_key: _key, ...terms } = told
    await beginDispute(disputed, { ...terms, acquirer_reference: reference })
    return true
  }
  known.acquirer_reference = told.reference
  known.due_by = told.due_by ?? known.due_by
  if (newsOfDispute(known.status, told.status)) await moveDispute(disputed, known, told.status)
  return true
}

async function findDispute(tx: Tx, transaction_id: string, reference: string): Promise<DisputeRow | null> {
  const known = await tx.findOne(DisputeEntity, { acquirer_reference: reference })
  if (known) return known
  const live = { status: { $in: ['open', 'under_review'] as DisputeStatus[] }, deleted_at: null }
  return tx.findOne(DisputeEntity, { transaction_id, acquirer_reference: null, ...live })
}
