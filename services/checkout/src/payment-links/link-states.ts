import type { EventName, LinkStatus } from '@cobro/contracts'
import type { PayableMove } from '../payables/move-payable.ts'

type LinkEvent = Extract<
  EventName,
  'payment.expired' | 'payment.failed' | 'payment.cancelled' | `payment_link.${string}`
>

export interface LinkStep {
  to: LinkStatus
  emits: readonly LinkEvent[]
}

/** Every move that there is, by the status it starts from. All but `active` are final. */
const moves: Record<LinkStatus, Partial<Record<PayableMove, LinkStep>>> = {
  active: {
    complete: { to: 'paid', emits: ['payment_link.paid'] },
    expire: { to: 'expired', emits: ['payment.expired', 'payment.failed', 'payment_link.expired'] },
    cancel: { to: 'cancelled', emits: ['payment.cancelled', 'payment_link.cancelled'] },
  },
  paid: {},
  expired: {},
  cancelled: {},
}

/** The step that a move is from a status, or undefined where it may not happen. */
export function linkStep(status: LinkStatus, move: PayableMove): LinkStep | undefined {
  return moves[status][move]
}
