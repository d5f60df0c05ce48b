import type { Tx } from '@cobro/database'
import type { LedgerEvent, Posting } from '../ledger/ledger-accounts.ts'
import { LedgerEntryEntity, type LedgerPositionRow } from '../ledger/ledger-entities.ts'
import { disputeOpenedPostings, disputeWonPostings, transferPostings } from '../ledger/ledger-postings.ts'
import { lockPosition, postingsOf, postToPosition } from '../ledger/post-entries.ts'
import type { DisputeRow } from './dispute-entity.ts'
import type { DisputeStage } from './dispute-states.ts'

/** Where the disputed amount goes from and to; `none` for a dispute that is new. */
interface StageChange {
  from: DisputeStage | 'none'
  to: DisputeStage
  now: Date
}

/** Posts a change of stage in the caller's transaction. The dispute's transaction is locked. */
export async function postDispute(tx: Tx, dispute: DisputeRow, { from, to, now }: StageChange): Promise<void> {
  const taken = from === 'held' || from === 'lost'
  // A dispute that is reported as won before it was stored never took the money.
  if (from === to || (!taken && to === 'returned')) return
  const position = await lockPosition(tx, dispute.transaction_id)
  const amount = BigInt(dispute.amount_cents)
  const context = { now, source_id: dispute.id }
  if (!taken) postToPosition(tx, position, disputeOpenedPostings(position, amount), context)
  if (to === 'lost') postToPosition(tx, position, transferPostings('dispute_lost', amount), context)
  if (to !== 'returned') return
  if (from === 'lost') postToPosition(tx, position, transferPostings('dispute_reopened', amount), context)
  postToPosition(tx, position, disputeWonPostings(await openedAndWon(tx, position, dispute)), context)
}

/** Corrects the disputed amount: returns the old amount and takes the new one in the same stage. */
export async function correctDisputedAmount(
  tx: Tx,
  dispute: DisputeRow,
  { amount_cents, stage, now }: { amount_cents: number; stage: DisputeStage; now: Date },
): Promise<void> {
  await postDispute(tx, dispute, { from: stage, to: 'returned', now })
  dispute.amount_cents = amount_cents
  await tx.flush()
  await postDispute(tx, dispute, { from: 'returned', to: stage, now })
  await tx.flush()
}

async function openedAndWon(tx: Tx, { transaction_id }: LedgerPositionRow, dispute: DisputeRow): Promise<Posting[]> {
  const event = { $in: ['dispute_opened', 'dispute_won'] as LedgerEvent[] }
  return postingsOf(await tx.find(LedgerEntryEntity, { transaction_id, source_id: dispute.id, event }))
}
