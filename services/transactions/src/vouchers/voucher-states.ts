import type { KeyNotFound, KeyReversed, VoucherOutcome } from '@cobro/acquirer'
import type { TransactionRow } from '../transactions/transaction-entity.ts'

/** What the acquirer reports about a voucher, or about its withdrawal. */
export type VoucherReport = VoucherOutcome | KeyNotFound | KeyReversed

/** `requested`: not issued yet. `issued`: payers may have it. `ended`: ended without money. */
export const voucherStates = ['requested', 'issued', 'paid', 'ended'] as const
type VoucherState = (typeof voucherStates)[number]

/**
 * What a report does to the transaction: one of its actions, or what to do about the voucher.
 * `issue`: it exists for the first time. `keep`: it can be paid. `check_again`: the outcome is unknown. `stop_checks`:
 * nothing is left to ask. `await_withdrawal`: unconfirmed withdrawal. `late_payment`: money after the end.
 */
export type VoucherEffect =
  | 'approve'
  | 'expire'
  | 'cancel'
  | 'fail'
  | 'issue'
  | 'keep'
  | 'check_again'
  | 'await_withdrawal'
  | 'late_payment'
  | 'stop_checks'

type Effects = Readonly<Record<VoucherReport['status'], VoucherEffect>>

const open = {
  processing: 'check_again',
  not_found: 'check_again',
  paid: 'approve',
  expired: 'expire',
  failed: 'fail',
  reversed: 'fail',
} as const
const closed = {
  processing: 'await_withdrawal',
  not_found: 'await_withdrawal',
  pending: 'await_withdrawal',
  expired: 'stop_checks',
  withdrawn: 'stop_checks',
  failed: 'stop_checks',
  reversed: 'stop_checks',
} as const

/** The effect of every report, by the state of the voucher. Reports may arrive in any order. */
const effects: Readonly<Record<VoucherState, Effects>> = {
  // No payer has seen a voucher that was withdrawn before it was issued.
  requested: { ...open, pending: 'issue', withdrawn: 'fail' },
  issued: { ...open, pending: 'keep', withdrawn: 'cancel' },
  paid: { ...closed, paid: 'stop_checks' },
  ended: { ...closed, paid: 'late_payment' },
}

/** Returns what a report of the acquirer does to a voucher in that state. */
export function voucherEffect(state: VoucherState, report: VoucherReport['status']): VoucherEffect {
  return effects[state][report]
}

/** Returns the state of a cash transaction's voucher. */
export function voucherState(row: Pick<TransactionRow, 'status' | 'settled_event_id' | 'captured_at'>): VoucherState {
  if (row.status === 'pending') return row.settled_event_id ? 'issued' : 'requested'
  return row.captured_at ? 'paid' : 'ended'
}
