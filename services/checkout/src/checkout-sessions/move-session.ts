import type { Emit } from '@cobro/database'
import type { SessionRow } from './session-entity.ts'
import { type SessionMove, sessionStep } from './session-states.ts'

/** Moves a locked session and emits what the move means. Gives false, and does nothing, where the move may not happen. */
export function moveSession(emit: Emit, session: SessionRow, move: SessionMove, now: Date): boolean {
  const step = sessionStep(session.status, move)
  if (!step) return false
  session.status = step.to
  session.transaction_status = step.transaction_status
  session.modified_at = now
  for (const name of step.emits) emit(name, session as never)
  return true
}
