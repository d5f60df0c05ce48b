import type { Tx } from '@cobro/database'
import type { DisputeRow } from '../disputes/dispute-entity.ts'
import type { DisputeStage } from '../disputes/dispute-states.ts'
import type { Posting } from './ledger-accounts.ts'
import { LedgerEntryEntity, type PositionRow } from './ledger-entities.ts'
import {
  disputeLostPostings,
  disputeOpenedPostings,
  disputeReopenedPostings,
  disputeWonPostings,
} from './ledger-postings.ts'
import { lockPosition, positionOf, postFor, postingsOf } from './post-entries.ts'

/**
 * Books what becomes of a disputed amount, whose transaction is locked, in the caller's transaction: from where it was, `none`
 * where nothing was heard of the dispute before, to where it now is.
 */
export async function postDispute(
  tx: Tx,
  dispute: DisputeRow,
  { from, to, now }: { from: DisputeStage | 'none'; to: DisputeStage; now: Date },
): Promise<void> {
  // One that was won before it was ever heard of took nothing.
  if (from === to || (from === 'none' && to === 'back')) return
  const position = await lockPosition(tx, dispute.transaction_id)
  const amount = BigInt(dispute.amount_cents)
  const on = { now, source_id: dispute.id }
  if (from === 'none') postFor(tx, position, disputeOpenedPostings(positionOf(position), amount), on)
  if (to === 'gone') postFor(tx, position, disputeLostPostings(amount), on)
  if (to !== 'back') return
  if (from === 'gone') postFor(tx, position, disputeReopenedPostings(amount), on)
  postFor(tx, position, disputeWonPostings(await openedWith(tx, position, dispute)), on)
}

async function openedWith(tx: Tx, position: PositionRow, dispute: DisputeRow): Promise<Posting[]> {
  const { transaction_id } = position
  return postingsOf(
    await tx.find(LedgerEntryEntity, { transaction_id, source_id: dispute.id, event: 'dispute_opened' }),
  )
}
