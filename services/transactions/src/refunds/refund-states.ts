import type { KeyNotFound, KeyReversed, RefundOutcome } from '@cobro/acquirer'
import type { EventName } from '@cobro/contracts'
import type { RefundRow } from './refund-entity.ts'

/** What the acquirer reports about a refund, or about the reversal of one. */
export type RefundReport = RefundOutcome | KeyNotFound | KeyReversed

/**
 * `requested`: a caller asked for the refund. `owed`: we must return money that we should not have
 * taken. `manual`: owed, but a person has to transfer it. For all three, the column `status` is `processing`.
 */
export const refundStates = ['requested', 'owed', 'manual', 'completed', 'failed'] as const
type RefundState = (typeof refundStates)[number]

/**
 * `unknown`: no outcome yet. `not_taken`: the request did not arrive, or was rejected unread.
 * `refused`: it failed with a reason. `technical_failure`: it failed without one. `reversed`: the key is void for good.
 */
export const refundEvents = ['unknown', 'not_taken', 'completed', 'refused', 'technical_failure', 'reversed'] as const
type RefundEvent = (typeof refundEvents)[number]

/**
 * A transition and its `follow_up`: `check` asks for the outcome later, `request_again` repeats
 * the request under the same key, and `new_refund` starts another refund, as the acquirer rejects the old key for good.
 */
export type RefundTransition = { emits: readonly Extract<EventName, 'payment.refund_failed'>[] } & (
  | { to: 'requested' | 'owed'; follow_up: 'check' | 'request_again' }
  | { to: 'manual' | 'completed' | 'failed'; follow_up?: 'new_refund' }
)

const failed = { to: 'failed', emits: ['payment.refund_failed'] } as const
// `payment.refunded` is emitted by the transaction, whose states are in transaction-states.ts.
const completed = { to: 'completed', emits: [] } as const
const again = { to: 'failed', emits: [], follow_up: 'new_refund' } as const
const [ignore, contradiction] = ['ignore', 'contradiction'] as const
const ignored = { unknown: ignore, not_taken: ignore, refused: ignore, technical_failure: ignore, reversed: ignore }

/** Every transition by its initial state. `ignore` changes nothing, `contradiction` is an error. */
const transitions: Record<RefundState, Record<RefundEvent, RefundTransition | 'ignore' | 'contradiction'>> = {
  requested: {
    unknown: { to: 'requested', emits: [], follow_up: 'check' },
    not_taken: { to: 'requested', emits: [], follow_up: 'request_again' },
    ...{ completed, refused: failed, technical_failure: failed, reversed: again },
  },
  owed: {
    unknown: { to: 'owed', emits: [], follow_up: 'check' },
    not_taken: { to: 'owed', emits: [], follow_up: 'request_again' },
    completed,
    refused: { to: 'manual', emits: [] },
    technical_failure: { ...failed, follow_up: 'new_refund' },
    reversed: again,
  },
  // The money may have been transferred already, so nothing but its confirmation counts.
  manual: { ...ignored, completed },
  completed: {
    ...{ unknown: ignore, completed: ignore },
    not_taken: contradiction,
    refused: contradiction,
    technical_failure: contradiction,
    reversed: contradiction,
  },
  failed: { ...ignored, completed },
}

/** Returns what an event does to a refund in that state. */
export function refundTransition(state: RefundState, event: RefundEvent) {
  return transitions[state][event]
}

export function refundState({ status, owed, by_hand }: Pick<RefundRow, 'status' | 'owed' | 'by_hand'>): RefundState {
  if (status !== 'processing') return status
  return by_hand ? 'manual' : owed ? 'owed' : 'requested'
}

/** Classifies a report. A failure without the acquirer's id or a reason means it was not taken. */
export function refundEvent(report: RefundReport): RefundEvent {
  switch (report.status) {
    case 'processing':
    case 'not_found':
      return 'unknown'
    case 'failed':
      if (report.failure_reason) return 'refused'
      return report.acquirer_reference === null ? 'not_taken' : 'technical_failure'
    default:
      return report.status
  }
}
