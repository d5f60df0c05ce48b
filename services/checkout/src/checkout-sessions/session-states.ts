import type { EventName, SessionStatus } from '@cobro/contracts'

/** What may happen to a session. A declined or failed attempt is no move: the payer may try again. */
export type SessionMove = 'complete' | 'expire' | 'cancel'

type SessionEvent = Extract<
  EventName,
  'payment.expired' | 'payment.failed' | 'payment.cancelled' | `checkout_session.${string}`
>

export interface SessionStep {
  to: SessionStatus
  transaction_status: 'Approved' | 'Expired' | 'Cancelled'
  emits: readonly SessionEvent[]
}

/** Every move that there is, by the status it starts from. All but `pending` are final. */
const moves: Record<SessionStatus, Partial<Record<SessionMove, SessionStep>>> = {
  pending: {
    complete: { to: 'completed', transaction_status: 'Approved', emits: ['checkout_session.completed'] },
    expire: {
      to: 'expired',
      transaction_status: 'Expired',
      emits: ['payment.expired', 'payment.failed', 'checkout_session.expired', 'checkout_session.completed'],
    },
    cancel: {
      to: 'cancelled',
      transaction_status: 'Cancelled',
      emits: ['payment.cancelled', 'checkout_session.cancelled', 'checkout_session.completed'],
    },
  },
  completed: {},
  expired: {},
  cancelled: {},
}

/** The step that a move is from a status, or undefined where it may not happen. */
export function sessionStep(status: SessionStatus, move: SessionMove): SessionStep | undefined {
  return moves[status][move]
}
