import type { DisputeStatus } from '@cobro/contracts'

const ends = ['won', 'lost', 'accepted', 'expired'] as const

const moves: Record<DisputeStatus, readonly DisputeStatus[]> = {
  open: ['under_review', ...ends],
  under_review: ends,
  won: [],
  lost: [],
  accepted: [],
  expired: [],
}

/** Where a dispute's money is: set aside while it runs, back with the merchant, or gone. */
export type DisputeStage = 'held' | 'back' | 'gone'

export const stageOf: Record<DisputeStatus, DisputeStage> = {
  open: 'held',
  under_review: 'held',
  won: 'back',
  lost: 'gone',
  accepted: 'gone',
  expired: 'gone',
}

/** Whether a caller may move a dispute so. */
export function mayMoveDispute(from: DisputeStatus, to: DisputeStatus): boolean {
  return moves[from].includes(to)
}

/** Whether the acquirer's newest word changes a dispute: also how one ended, and never back to its beginning. */
export function newsOfDispute(from: DisputeStatus, told: DisputeStatus): boolean {
  return mayMoveDispute(from, told) || (stageOf[told] !== 'held' && stageOf[told] !== stageOf[from])
}
