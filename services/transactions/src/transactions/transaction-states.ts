import type { TransactionStatus } from '@cobro/contracts'

/** What may happen to a transaction. `win_refunded` is a dispute that was won after the payment had been given back. */
export type TransactionMove =
  | 'approve'
  | 'decline'
  | 'fail'
  | 'expire'
  | 'cancel'
  | 'refund'
  | 'dispute'
  | 'win'
  | 'win_refunded'

interface Step {
  to: TransactionStatus
  emits: ('payment.approved' | 'payment.declined' | 'payment.failed' | 'payment.refunded' | 'payment.chargeback')[]
}

/** Every move that there is, by the status it starts from. What is not here may not happen. */
const moves: Partial<Record<TransactionStatus, Partial<Record<TransactionMove, Step>>>> = {
  pending: {
    approve: { to: 'approved', emits: ['payment.approved'] },
    decline: { to: 'declined', emits: ['payment.declined'] },
    fail: { to: 'failed', emits: ['payment.failed'] },
    // The session or link that ran out or was cancelled has told the merchant already.
    expire: { to: 'expired', emits: [] },
    cancel: { to: 'cancelled', emits: [] },
  },
  approved: {
    refund: { to: 'refunded', emits: ['payment.refunded'] },
    dispute: { to: 'chargeback', emits: ['payment.chargeback'] },
  },
  chargeback: {
    // Money that has gone back has gone back, whatever comes of the dispute.
    refund: { to: 'chargeback', emits: ['payment.refunded'] },
    // A payment may be disputed more than once, and each time its money is taken.
    dispute: { to: 'chargeback', emits: ['payment.chargeback'] },
    win: { to: 'approved', emits: [] },
    win_refunded: { to: 'refunded', emits: [] },
  },
  refunded: {
    dispute: { to: 'refunded', emits: ['payment.chargeback'] },
    win_refunded: { to: 'refunded', emits: [] },
  },
}

/** The step that a move is from a status, or undefined where it may not happen. */
export function transactionStep(status: TransactionStatus, move: TransactionMove): Step | undefined {
  return moves[status]?.[move]
}
