import type { Tx } from '@cobro/database'
import type { DisputeRow } from '../disputes/dispute-entity.ts'
import type { DisputeStage } from '../disputes/dispute-states.ts'
import type { LedgerEvent, Posting } from './ledger-accounts.ts'
import { LedgerEntryEntity, type PositionRow } from './ledger-entities.ts'
import {
  disputeLostPostings,
  disputeOpenedPostings,
  disputeReopenedPostings,
  disputeWonPostings,
} from './ledger-postings.ts'
import { lockPosition, positionOf, postFor, postingsOf } from './post-entries.ts'

/** Where a dispute's money was before: `none` where nothing was heard of the dispute. */
interface Course {
  from: DisputeStage | 'none'
  to: DisputeStage
  now: Date
}

/** Books what becomes of a disputed amount, whose transaction is locked, in the caller's transaction. */
export async function postDispute(tx: Tx, dispute: DisputeRow, { from, to, now }: Course): Promise<void> {
  const taken = from === 'held' || from === 'gone'
  // One that was won before it was ever heard of took nothing.
  if (from === to || (!taken && to === 'back')) return
  const position = await lockPosition(tx, dispute.transaction_id)
  const amount = BigInt(dispute.amount_cents)
  const on = { now, source_id: dispute.id }
  if (!taken) postFor(tx, position, disputeOpenedPostings(positionOf(position), amount), on)
  if (to === 'gone') postFor(tx, position, disputeLostPostings(amount), on)
  if (to !== 'back') return
  if (from === 'gone') postFor(tx, position, disputeReopenedPostings(amount), on)
  postFor(tx, position, disputeWonPostings(await takenBy(tx, position, dispute)), on)
}

/** Books that a dispute is over another amount than was thought, wherever its money is. */
export async function postOtherAmount(
  tx: Tx,
  dispute: DisputeRow,
  { amount_cents, at, now }: { amount_cents: number; at: DisputeStage; now: Date },
): Promise<void> {
  await postDispute(tx, dispute, { from: at, to: 'back', now })
  dispute.amount_cents = amount_cents
  await tx.flush()
  await postDispute(tx, dispute, { from: 'back', to: at, now })
  await tx.flush()
}

async function takenBy(tx: Tx, { transaction_id }: PositionRow, dispute: DisputeRow): Promise<Posting[]> {
  const event = { $in: ['dispute_opened', 'dispute_won'] as LedgerEvent[] }
  return postingsOf(await tx.find(LedgerEntryEntity, { transaction_id, source_id: dispute.id, event }))
}
