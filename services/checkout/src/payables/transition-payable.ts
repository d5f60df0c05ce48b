import type { Emit } from '@cobro/database'
import type { LinkRow } from './link-entity.ts'
import { linkSteps } from './link-states.ts'
import { isLink, type Payable, type PayableTransition, touch } from './payable.ts'
import type { SessionRow } from './session-entity.ts'
import { sessionSteps } from './session-states.ts'

/** Applies a transition to a locked payable and emits events. Returns false if not allowed. */
export function transitionPayable(emit: Emit, payable: Payable, transition: PayableTransition, now: Date): boolean {
  return isLink(payable)
    ? transitionLink(emit, payable, transition, now)
    : transitionSession(emit, payable, transition, now)
}

function transitionSession(emit: Emit, session: SessionRow, transition: PayableTransition, now: Date): boolean {
  const step = sessionSteps[session.status][transition]
  if (!step) return false
  session.status = step.to
  session.transaction_status = step.to === 'completed' && session.refunded_at ? 'Refunded' : step.transaction_status
  touch(session, now)
  for (const name of step.emits) emit(name, session)
  return true
}

function transitionLink(emit: Emit, link: LinkRow, transition: PayableTransition, now: Date): boolean {
  const step = linkSteps[link.status][transition]
  if (!step) return false
  link.status = step.to
  if (step.to === 'paid') link.paid_at = now
  touch(link, now)
  for (const name of step.emits) emit(name, link)
  return true
}
