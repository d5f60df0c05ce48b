import type { Outcome, RefundOutcome, Voucher } from './acquirer.ts'

/** A payment that its cardholder disputes. */
export interface Dispute {
  status: 'open' | 'won' | 'lost'
  /** The acquirer's own name for the dispute. */
  reference: string
  charge_key: string
  amount_cents: number
  currency: string
  reason: string
  /** The card network's code for the reason. */
  network_reason_code: string | null
  /** Until when evidence may be handed in. */
  due_by: Date | null
  opened_at: Date
  resolved_at: Date | null
}

/**
 * What an acquirer tells on its own accord. A notice gives the state as `find` would give it, so that both may be handled
 * alike. Notices come at least once and in any order: they are told apart by `id`, and a dispute's end may come before its
 * beginning. One `of: 'unknown'` is of a kind that did not exist when this was written.
 */
export type Notice = { id: string; created_at: Date } & (
  | { of: 'charge'; key: string; outcome: Outcome }
  | { of: 'refund'; key: string; outcome: RefundOutcome }
  | { of: 'voucher'; key: string; outcome: Voucher }
  | { of: 'dispute'; dispute: Dispute }
  | { of: 'unknown'; type: string }
)
