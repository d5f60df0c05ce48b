import { lockRow, type Tx } from '@cobro/database'
import { DisputeEntity } from '../disputes/dispute-entity.ts'
import { recordDispute, transitionDispute } from '../disputes/transition-dispute.ts'
import { TransactionEntity } from '../transactions/transaction-entity.ts'
import type { LockedTransaction } from '../transactions/transition-transaction.ts'
import type { Disputed } from './demo-days.ts'
import { unpublished } from './unpublished.ts'

/** Opens a dispute, unless it is stored. Returns whether it was missing. */
export async function loadOpenedDispute(tx: Tx, order: Disputed): Promise<boolean> {
  const { reason, network_reason_code, opened_at, due_by } = order.dispute
  const disputed = await lockDisputed(tx, order, opened_at)
  // It is stored, or someone who looks at the shop while it is loaded has refunded the payment.
  if (disputed.row.status !== 'approved' || disputed.row.refund_id) return false
  if (await tx.findOne(DisputeEntity, { transaction_id: disputed.row.id })) return false
  const { amount_cents, currency } = disputed.row
  const terms = { reason, network_reason_code, due_by, opened_at, amount_cents, currency }
  await recordDispute(disputed, { ...terms, status: 'open' })
  await tx.flush()
  return true
}

/** Ends a stored dispute, unless it has ended. Returns whether it was open. */
export async function loadResolvedDispute(tx: Tx, order: Disputed): Promise<boolean> {
  const { status, resolved_at } = order.dispute
  if (status === 'open' || !resolved_at) return false
  const disputed = await lockDisputed(tx, order, resolved_at)
  const dispute = await tx.findOne(DisputeEntity, { transaction_id: disputed.row.id })
  if (dispute?.status !== 'open') return false
  await transitionDispute(disputed, dispute, status, 'caller')
  await tx.flush()
  return true
}

async function lockDisputed(tx: Tx, { attempts }: Disputed, now: Date): Promise<LockedTransaction> {
  const paid = attempts.at(-1)
  if (!paid) throw new Error('A disputed order was never paid.')
  return { tx, emit: unpublished, row: await lockRow(tx, TransactionEntity, paid.transaction_id), now }
}
