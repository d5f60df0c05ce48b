import type { TransactionStatus } from '@cobro/contracts'

/** What may happen to a transaction. `win_refunded` is a dispute won after the payment's refund. */
export type TransactionAction =
  | 'approve'
  | 'decline'
  | 'fail'
  | 'expire'
  | 'cancel'
  | 'refund'
  | 'dispute'
  | 'win'
  | 'win_refunded'

interface TransactionTransition {
  to: TransactionStatus
  emits: ('payment.approved' | 'payment.declined' | 'payment.failed' | 'payment.refunded' | 'payment.chargeback')[]
}

/** Every allowed transition, by the status it starts from. */
const transitions: Partial<Record<TransactionStatus, Partial<Record<TransactionAction, TransactionTransition>>>> = {
  pending: {
    approve: { to: 'approved', emits: ['payment.approved'] },
    decline: { to: 'declined', emits: ['payment.declined'] },
    fail: { to: 'failed', emits: ['payment.failed'] },
    // Checkout has already emitted the event of the session or link that expired or was cancelled.
    expire: { to: 'expired', emits: [] },
    cancel: { to: 'cancelled', emits: [] },
  },
  approved: {
    refund: { to: 'refunded', emits: ['payment.refunded'] },
    dispute: { to: 'chargeback', emits: ['payment.chargeback'] },
  },
  chargeback: {
    // A refund that was in flight when the dispute was opened completes without ending the dispute.
    refund: { to: 'chargeback', emits: ['payment.refunded'] },
    // A payment may be disputed more than once; each dispute takes the money again.
    dispute: { to: 'chargeback', emits: ['payment.chargeback'] },
    win: { to: 'approved', emits: [] },
    win_refunded: { to: 'refunded', emits: [] },
  },
  refunded: {
    dispute: { to: 'refunded', emits: ['payment.chargeback'] },
    win_refunded: { to: 'refunded', emits: [] },
  },
}

/** Returns the transition of an action from a status, or undefined when it is not allowed. */
export function transactionTransition(status: TransactionStatus, action: TransactionAction) {
  return transitions[status]?.[action]
}
