import { type DisputeStatus, newId } from '@cobro/contracts'
import { type Emit, newRow, type Tx } from '@cobro/database'
import { postDispute } from '../ledger/post-dispute.ts'
import { makeMove } from '../transactions/make-move.ts'
import type { TransactionRow } from '../transactions/transaction-entity.ts'
import { DisputeEntity, type DisputeRow } from './dispute-entity.ts'
import { stageOf } from './dispute-states.ts'

/** A locked transaction, in the transaction that its dispute is moved in. */
export interface Disputed {
  tx: Tx
  emit: Emit
  row: TransactionRow
  now: Date
}

type Terms = Pick<DisputeRow, 'amount_cents' | 'currency' | 'reason' | 'status' | 'opened_at'> &
  Partial<
    Pick<DisputeRow, 'network_reason_code' | 'due_by' | 'evidence' | 'acquirer_reference' | 'told_at' | 'resolved_at'>
  >

/** Writes down a dispute of which nothing was known, and takes the money along: but for one that was won already. */
export async function beginDispute({ tx, emit, row, now }: Disputed, terms: Terms): Promise<DisputeRow> {
  const { merchant_id, correlation_id, id: transaction_id } = row
  const ids = { id: newId('dsp'), merchant_id, correlation_id, transaction_id }
  const dispute = newRow(tx, DisputeEntity, { ...ids, created_at: now, updated_at: now, ...terms })
  const stage = stageOf[terms.status]
  await postDispute(tx, dispute, { from: 'none', to: stage, now })
  if (stage !== 'back') makeMove(emit, row, 'dispute', now)
  emit('dispute.opened', dispute)
  if (terms.status !== 'open') emit(`dispute.${terms.status}`, dispute)
  return dispute
}

/** Moves a locked dispute, its money and its transaction. Whether it may move is asked before. */
export async function moveDispute(disputed: Disputed, dispute: DisputeRow, to: DisputeStatus): Promise<void> {
  const { tx, emit, row, now } = disputed
  const from = stageOf[dispute.status]
  dispute.status = to
  dispute.updated_at = now
  if (stageOf[to] !== 'held') dispute.resolved_at = now
  await postDispute(tx, dispute, { from, to: stageOf[to], now })
  if (stageOf[to] === 'back') await giveWinBack(disputed, dispute)
  else if (from === 'back') makeMove(emit, row, 'dispute', now)
  emit(to === 'open' ? 'dispute.updated' : `dispute.${to}`, dispute)
}

/** Takes back a dispute that was opened by hand: as if it had never been, but for its traces. */
export async function withdrawDispute(disputed: Disputed, dispute: DisputeRow): Promise<void> {
  const { tx, emit, now } = disputed
  dispute.deleted_at = now
  dispute.updated_at = now
  await postDispute(tx, dispute, { from: stageOf[dispute.status], to: 'back', now })
  await giveWinBack(disputed, dispute)
  emit('dispute.withdrawn', dispute)
}

/** A payment that is disputed a second time stays so. */
async function giveWinBack({ tx, emit, row, now }: Disputed, dispute: DisputeRow): Promise<void> {
  const others = await tx.count(DisputeEntity, {
    transaction_id: row.id,
    id: { $ne: dispute.id },
    status: { $ne: 'won' },
    deleted_at: null,
  })
  if (others === 0) makeMove(emit, row, row.refunded_at ? 'win_refunded' : 'win', now)
}
