import { ApiError, type DisputeStatus, newId } from '@cobro/contracts'
import { type NewRow, newRow } from '@cobro/database'
import type { LockedTransaction } from '../transactions/transition-transaction.ts'
import { applyChargeback, reverseChargeback } from './apply-chargeback.ts'
import { DisputeEntity, type DisputeRow } from './dispute-entity.ts'
import { type DisputeActor, disputeTransition, stageOf } from './dispute-states.ts'
import { postDispute } from './post-dispute.ts'

type NewDispute = Omit<
  NewRow<DisputeRow>,
  'id' | 'merchant_id' | 'correlation_id' | 'transaction_id' | 'created_at' | 'updated_at'
>

/** Creates a dispute and takes its amount from the merchant, unless it was reported as won. */
export async function recordDispute(disputed: LockedTransaction, terms: NewDispute): Promise<DisputeRow> {
  const { tx, emit, row, now } = disputed
  const { merchant_id, correlation_id, id: transaction_id } = row
  const ids = { id: newId('dsp'), merchant_id, correlation_id, transaction_id }
  const dispute = newRow(tx, DisputeEntity, { ...ids, created_at: now, updated_at: now, ...terms })
  const stage = stageOf[terms.status]
  await postDispute(tx, dispute, { from: 'none', to: stage, now })
  if (stage !== 'returned') applyChargeback(disputed)
  emit('dispute.opened', dispute)
  if (terms.status !== 'open') emit(`dispute.${terms.status}`, dispute)
  return dispute
}

/** Changes a locked dispute, its ledger and transaction. Throws a conflict if not allowed. */
export async function transitionDispute(
  disputed: LockedTransaction,
  dispute: DisputeRow,
  to: DisputeStatus,
  actor: DisputeActor,
): Promise<void> {
  const { tx, emit, now } = disputed
  const transition = disputeTransition(dispute.status, to, actor)
  if (!transition) throw new ApiError('conflict', `a dispute that is ${dispute.status} cannot become ${to}`)
  const from = stageOf[dispute.status]
  const stage = stageOf[to]
  dispute.status = to
  dispute.updated_at = now
  if (stage !== 'held') dispute.resolved_at = now
  await postDispute(tx, dispute, { from, to: stage, now })
  if (stage === 'returned') await reverseChargeback(disputed, dispute)
  else if (from === 'returned') applyChargeback(disputed)
  for (const name of transition.emits) emit(name, dispute)
}

/** Deletes a dispute that was opened through the API, and returns its amount to the merchant. */
export async function withdrawDispute(disputed: LockedTransaction, dispute: DisputeRow): Promise<void> {
  const { tx, emit, now } = disputed
  dispute.deleted_at = now
  dispute.updated_at = now
  await postDispute(tx, dispute, { from: stageOf[dispute.status], to: 'returned', now })
  await reverseChargeback(disputed, dispute)
  emit('dispute.withdrawn', dispute)
}
