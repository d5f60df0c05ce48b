import type { EventName, LinkStatus } from '@cobro/contracts'
import type { PayableTransition } from './payable.ts'

type LinkEvent = Extract<
  EventName,
  'payment.expired' | 'payment.failed' | 'payment.cancelled' | `payment_link.${string}`
>

interface LinkStep {
  to: LinkStatus
  emits: readonly LinkEvent[]
}

/** The allowed transitions by current status. Every status but `active` is final. */
export const linkSteps: Record<LinkStatus, Partial<Record<PayableTransition, LinkStep>>> = {
  active: {
    complete: { to: 'paid', emits: ['payment_link.paid'] },
    expire: { to: 'expired', emits: ['payment.expired', 'payment.failed', 'payment_link.expired'] },
    cancel: { to: 'cancelled', emits: ['payment.cancelled', 'payment_link.cancelled'] },
  },
  paid: {},
  expired: {},
  cancelled: {},
}
