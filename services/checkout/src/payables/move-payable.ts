import type { Emit } from '@cobro/database'
import type { SessionRow } from '../checkout-sessions/session-entity.ts'
import { sessionStep } from '../checkout-sessions/session-states.ts'
import type { LinkRow } from '../payment-links/link-entity.ts'
import { linkStep } from '../payment-links/link-states.ts'
import { isLink, type Payable, touch } from './payable.ts'

/** What may happen to a session or link. A declined or failed attempt is no move: the payer may try again. */
export type PayableMove = 'complete' | 'expire' | 'cancel'

/** Moves a locked session or link and emits what the move means. Gives false, and does nothing, where the move may not happen. */
export function movePayable(emit: Emit, payable: Payable, move: PayableMove, now: Date): boolean {
  return isLink(payable) ? moveLink(emit, payable, move, now) : moveSession(emit, payable, move, now)
}

function moveSession(emit: Emit, session: SessionRow, move: PayableMove, now: Date): boolean {
  const step = sessionStep(session.status, move)
  if (!step) return false
  session.status = step.to
  session.transaction_status = step.to === 'completed' && session.refunded_at ? 'Refunded' : step.transaction_status
  touch(session, now)
  for (const name of step.emits) emit(name, session)
  return true
}

function moveLink(emit: Emit, link: LinkRow, move: PayableMove, now: Date): boolean {
  const step = linkStep(link.status, move)
  if (!step) return false
  link.status = step.to
  if (step.to === 'paid') link.paid_at = now
  touch(link, now)
  for (const name of step.emits) emit(name, link)
  return true
}
