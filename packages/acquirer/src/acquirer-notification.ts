import type { ChargeOutcome, RefundOutcome, Voucher } from './acquirer-outcomes.ts'

/** A payment that its cardholder disputes. */
export interface AcquirerDispute {
  status: 'open' | 'won' | 'lost'
  /** The acquirer's reference of the dispute. */
  reference: string
  charge_key: string
  amount_cents: number
  currency: string
  reason: string
  /** The card network's code for the reason. */
  network_reason_code: string | null
  /** The deadline for submitting evidence. */
  due_by: Date | null
  opened_at: Date
  resolved_at: Date | null
}

/**
 * A verified notification from the acquirer. It contains the state that `findCharge` and its like would return, so that both
 * are handled by the same code. Notifications arrive at least once and in any order: deduplicate them by `id`, and expect the
 * end of a dispute before its beginning. `of: 'unknown'` is a type that this release does not know.
 */
export type AcquirerNotification = { id: string; created_at: Date } & (
  | { of: 'charge'; key: string; outcome: ChargeOutcome }
  | { of: 'refund'; key: string; outcome: RefundOutcome }
  | { of: 'voucher'; key: string; outcome: Voucher }
  | { of: 'dispute'; dispute: AcquirerDispute }
  | { of: 'unknown'; type: string }
)
