import type { EventName, SessionStatus } from '@cobro/contracts'
import type { PayableTransition } from './payable.ts'

type SessionEvent = Extract<
  EventName,
  'payment.expired' | 'payment.failed' | 'payment.cancelled' | `checkout_session.${string}`
>

interface SessionStep {
  to: SessionStatus
  transaction_status: 'Approved' | 'Expired' | 'Cancelled'
  emits: readonly SessionEvent[]
}

/** The allowed transitions by current status. Every status but `pending` is final. */
export const sessionSteps: Record<SessionStatus, Partial<Record<PayableTransition, SessionStep>>> = {
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
