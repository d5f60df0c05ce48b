import { ApiError, type Caller } from '@cobro/contracts'
import { type Database, getRow, type Tx } from '@cobro/database'
import { findRunningAttempt } from '../payment-attempts/attempt-entity.ts'
import { lockSession } from './lock-session.ts'
import { moveSession } from './move-session.ts'
import { SessionEntity, type SessionRow } from './session-entity.ts'

/** Cancels a pending session for its merchant. While a payment runs nothing may change under it: 409. */
export function cancelSession(db: Database, caller: Caller, id: string): Promise<SessionRow> {
  return cancel(db, tx => getRow(tx, SessionEntity, caller, id, { lock: true }))
}

/** Cancels a pending session for its payer, who knows its id. */
export function cancelHostedSession(db: Database, id: string): Promise<SessionRow> {
  return cancel(db, tx => lockSession(tx, id))
}

function cancel(db: Database, load: (tx: Tx) => Promise<SessionRow>): Promise<SessionRow> {
  return db.write(async (tx, emit) => {
    const session = await load(tx)
    if (await findRunningAttempt(tx, session.id)) throw new ApiError('conflict', 'a payment is running')
    if (!moveSession(emit, session, 'cancel', new Date()))
      throw new ApiError('conflict', `the session is ${session.status}`)
    return session
  })
}
