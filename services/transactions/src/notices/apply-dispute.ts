import type { AcquirerDispute } from '@cobro/acquirer'
import { ApiError, type DisputeStatus, maskCardNumbers } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import { updateCallContext } from '@cobro/runtime'
import { DisputeEntity, type DisputeRow } from '../disputes/dispute-entity.ts'
import { newsOfDispute, stageOf } from '../disputes/dispute-states.ts'
import { beginDispute, type Disputed, moveDispute } from '../disputes/move-dispute.ts'
import { postOtherAmount } from '../ledger/post-dispute.ts'
import { findByKey } from '../transactions/acquirer-key.ts'
import { lockTransaction } from '../transactions/settle-transaction.ts'
import { TransactionEntity, type TransactionRow } from '../transactions/transaction-entity.ts'
import type { Applying } from './apply-notice.ts'

/**
 * A dispute takes the money along when it is first heard of, and gives it back when it was won. The end may come before the
 * beginning: then the beginning changes nothing, and a win that was never preceded by a loss neither. Of two ends the one that was
 * told of later, at `toldAt`, stands. A dispute that was opened by hand before the acquirer told of it is the same one.
 */
export async function applyDispute(
  { tx, emit, logger }: Applying,
  told: AcquirerDispute,
  toldAt: Date,
): Promise<boolean> {
  const attempt = await findByKey(tx, told.charge_key)
  if (!attempt) return false
  updateCallContext(attempt)
  const late = await tx.findOne(TransactionEntity, { late_payment_of: attempt.id })
  const row = await lockTransaction(tx, (late ?? attempt).id)
  // The charge was approved, and we are about to hear of it: this is told again meanwhile.
  if (!row.captured_at) throw new ApiError('unavailable', 'the payment is not settled yet')
  const known = await findDispute(tx, row.id, told.reference)
  refuseUnfit(row, known, told)
  const disputed = { tx, emit, row, now: new Date() }
  const told_at = told.status === 'open' ? null : toldAt
  if (!known) {
    const { reference, charge_key: _key, ...terms } = told
    const reason = maskCardNumbers(terms.reason)
    await beginDispute(disputed, { ...terms, reason, told_at, acquirer_reference: reference })
    return true
  }
  if (!(await follow(disputed, known, { told, toldAt, told_at }))) {
    const { id, status } = known
    logger.info({ dispute_id: id, status, told: told.status }, 'a notice of the acquirer changes nothing of a dispute')
  }
  return true
}

interface News {
  told: AcquirerDispute
  toldAt: Date
  told_at: Date | null
}

/** Has a dispute follow the acquirer's word. Gives false where it changes nothing, or a newer one is known. */
async function follow(disputed: Disputed, known: DisputeRow, { told, toldAt, told_at }: News): Promise<boolean> {
  const { tx, emit, now } = disputed
  if (known.told_at && known.told_at > toldAt) return false
  const adopted = known.acquirer_reference == null
  const corrected = known.amount_cents !== told.amount_cents
  known.acquirer_reference = told.reference
  known.due_by = told.due_by ?? known.due_by
  known.told_at = told_at ?? known.told_at
  if (corrected) await postOtherAmount(tx, known, { amount_cents: told.amount_cents, at: stageOf[known.status], now })
  if (newsOfDispute(known.status, told.status)) {
    await moveDispute(disputed, known, told.status)
    return true
  }
  if (!corrected && !adopted) return false
  known.updated_at = now
  emit('dispute.updated', known)
  return true
}

/** One that was opened by hand and won is over: what the acquirer tells of is another one, or takes the money once more. */
async function findDispute(tx: Tx, transaction_id: string, reference: string): Promise<DisputeRow | null> {
  const known = await tx.findOne(DisputeEntity, { acquirer_reference: reference })
  if (known) return known
  const taken = { status: { $ne: 'won' as DisputeStatus }, deleted_at: null }
  return tx.findOne(DisputeEntity, { transaction_id, acquirer_reference: null, ...taken })
}

function refuseUnfit({ id, currency }: TransactionRow, known: DisputeRow | null, told: AcquirerDispute): void {
  if (told.currency !== currency) {
    throw new Error(`Transaction ${id} is in ${currency}, and its dispute ${told.reference} in ${told.currency}.`)
  }
  if (known && known.transaction_id !== id) {
    throw new Error(`Dispute ${told.reference} is of ${known.transaction_id}, and the acquirer says of ${id}.`)
  }
}
