import type { Emit } from '@cobro/database'
import { sessionStep } from '../checkout-sessions/session-states.ts'
import { linkStep } from '../payment-links/link-states.ts'
import { isLink, type Payable, touch } from './payable.ts'

/** What may happen to a session or link. A declined or failed attempt is no move: the payer may try again. */
export type PayableMove = 'complete' | 'expire' | 'cancel'

/** Moves a locked session or link and emits what the move means. Gives false, and does nothing, where the move may not happen. */
export function movePayable(emit: Emit, payable: Payable, move: PayableMove, now: Date): boolean {
  const emits = isLink(payable) ? moveLink(payable, move, now) : moveSession(payable, move)
  if (!emits) return false
  touch(payable, now)
  for (const name of emits) emit(name, payable as never)
  return true
}

function moveSession(session: Exclude<Payable, { concepto: string }>, move: PayableMove) {
  const step = sessionStep(session.status, move)
  if (!step) return undefined
  session.status = step.to
  session.transaction_status = step.to === 'completed' && session.refunded_at ? 'Refunded' : step.transaction_status
  return step.emits
}

function moveLink(link: Extract<Payable, { concepto: string }>, move: PayableMove, now: Date) {
  const step = linkStep(link.status, move)
  if (!step) return undefined
  link.status = step.to
  if (step.to === 'paid') link.paid_at = now
  return step.emits
}
