import type { EventName, TransactionStatus } from '@cobro/contracts'

/** What may happen to a transaction. */
export type TransactionMove = 'approve' | 'decline' | 'fail' | 'expire' | 'cancel'

interface Step {
  to: TransactionStatus
  emits: Extract<EventName, `payment.${string}`>[]
}

const pending: Record<TransactionMove, Step> = {
  approve: { to: 'approved', emits: ['payment.approved'] },
  decline: { to: 'declined', emits: ['payment.declined'] },
  fail: { to: 'failed', emits: ['payment.failed'] },
  // The session or link that ran out or was cancelled has told the merchant already.
  expire: { to: 'expired', emits: [] },
  cancel: { to: 'cancelled', emits: [] },
}

/** Every move that there is, by the status it starts from. What is not here may not happen. */
const moves: Partial<Record<TransactionStatus, Partial<Record<TransactionMove, Step>>>> = { pending }

/** The step that a move is from a status, or undefined where it may not happen. */
export function transactionStep(status: TransactionStatus, move: TransactionMove): Step | undefined {
  return moves[status]?.[move]
}
