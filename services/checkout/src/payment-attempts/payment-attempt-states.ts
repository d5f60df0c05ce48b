import type { EventData } from '@cobro/contracts'

type PaymentAttemptOutcome = EventData<'payment_attempt.settled'>['status']

/**
 * The status of a payment attempt. `running`: the outcome is unknown, and the session or link may
 * not change. `pending`: a cash payment whose voucher is issued but not paid yet. The others are final.
 */
export type PaymentAttemptStatus = 'running' | PaymentAttemptOutcome

/**
 * What can happen to an attempt: an outcome; `unsent`, the command surely never reached the broker; `refused`, a rule
 * against card testing blocks it before its command;
 * `card_unreadable`, the acquirer could not read the card; `overdue`, no outcome some time after the deadline.
 */
export type PaymentAttemptEvent = PaymentAttemptOutcome | 'unsent' | 'refused' | 'card_unreadable' | 'overdue'

export interface PaymentAttemptStep {
  to: PaymentAttemptStatus
  /**
   * The effect on the session or link. With `complete_if_open`, one that was cancelled while its
   * voucher could still be paid stays cancelled, and transactions refunds the money.
   */
  payable: 'complete' | 'complete_if_open' | 'await_cash' | 'count_decline' | 'stay_open'
  /** The new transaction status of an open session. Completing a session sets its own. */
  transaction_status?: 'Declined' | 'Failed' | 'Pending'
  emits?: 'payment.failed'
}

/** `delete` removes the attempt, `resolve` asks for its outcome, `ignore` changes nothing. */
interface Steps extends Partial<Record<PaymentAttemptOutcome | 'unsent' | 'refused', PaymentAttemptStep | 'ignore'>> {
  card_unreadable: 'delete' | 'ignore'
  overdue: 'resolve' | 'ignore'
}

const endings = {
  declined: { to: 'declined', payable: 'count_decline', transaction_status: 'Declined' },
  failed: { to: 'failed', payable: 'stay_open', transaction_status: 'Failed' },
  expired: { to: 'expired', payable: 'stay_open', transaction_status: 'Pending' },
  cancelled: { to: 'cancelled', payable: 'stay_open', transaction_status: 'Pending' },
} satisfies Partial<Steps>

/** Messages may overtake one another: an issued voucher may be reported after its payment. */
const tooLate = {
  pending: 'ignore',
  unsent: 'ignore',
  refused: 'ignore',
  card_unreadable: 'ignore',
  overdue: 'ignore',
} satisfies Steps

/** The steps by current status and event. A missing step is a contradiction of two outcomes. */
const steps: Record<PaymentAttemptStatus, Steps> = {
  running: {
    approved: { to: 'approved', payable: 'complete' },
    pending: { to: 'pending', payable: 'await_cash', transaction_status: 'Pending' },
    ...endings,
    unsent: { ...endings.failed, emits: 'payment.failed' },
    refused: { to: 'failed', payable: 'stay_open' },
    card_unreadable: 'delete',
    overdue: 'resolve',
  },
  pending: { approved: { to: 'approved', payable: 'complete_if_open' }, ...endings, ...tooLate },
  approved: { approved: 'ignore', ...tooLate },
  declined: { declined: 'ignore', ...tooLate },
  failed: { failed: 'ignore', ...tooLate },
  expired: { expired: 'ignore', ...tooLate },
  cancelled: { cancelled: 'ignore', ...tooLate },
}

/** Returns the step of an event, or undefined if the event contradicts the status. */
export function attemptStep<E extends PaymentAttemptEvent>(status: PaymentAttemptStatus, event: E): Steps[E] {
  return steps[status][event]
}

/** The statuses whose outcome is unknown. Such an attempt freezes its session or link. */
export const unresolvedStatuses = statusesWithStep('overdue')

/** The statuses that are not final. A unique index allows one such attempt per session or link. */
export const openStatuses = statusesWithStep('approved')

/** The statuses in which an attempt can be deleted because its card is unreadable. */
export const discardableStatuses = statusesWithStep('card_unreadable')

/** Formats statuses as literals of an `in` list, because partial indexes match no parameters. */
export function sqlStatuses(statuses: readonly PaymentAttemptStatus[]): string {
  return statuses.map(status => `'${status}'`).join(', ')
}

/** Returns the statuses in which an event is not ignored. */
function statusesWithStep(event: PaymentAttemptEvent): PaymentAttemptStatus[] {
  const statuses = Object.keys(steps) as PaymentAttemptStatus[]
  return statuses.filter(status => (steps[status][event] ?? 'ignore') !== 'ignore')
}
