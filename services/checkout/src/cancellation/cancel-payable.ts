import { ApiError, type Caller, type Id, type PayableId } from '@cobro/contracts'
import { type Database, getRow, type Tx } from '@cobro/database'
import { LinkEntity, type LinkRow } from '../payables/link-entity.ts'
import { lockPayable } from '../payables/lock-payable.ts'
import { labelOf, type Payable } from '../payables/payable.ts'
import { SessionEntity, type SessionRow } from '../payables/session-entity.ts'
import { transitionPayable } from '../payables/transition-payable.ts'
import { rejectWhilePaymentRuns } from '../payment-attempts/find-payment-attempts.ts'

/** Cancels a pending session for its merchant. */
export function cancelSession(db: Database, caller: Caller, id: Id<'cs'>): Promise<SessionRow> {
  return cancel(db, tx => getRow(tx, SessionEntity, caller, id, { lock: true }))
}

/** Cancels an active link for its merchant. */
export function cancelLink(db: Database, caller: Caller, id: Id<'pl'>): Promise<LinkRow> {
  return cancel(db, tx => getRow(tx, LinkEntity, caller, id, { lock: true }))
}

/** Cancels a pending session for its payer, who is authorized by knowing its id. */
export function cancelForPayer(db: Database, id: PayableId): Promise<Payable> {
  return cancel(db, tx => lockPayable(tx, id))
}

function cancel<P extends Payable>(db: Database, load: (tx: Tx) => Promise<P>): Promise<P> {
  return db.write(async (tx, emit) => {
    const payable = await load(tx)
    await rejectWhilePaymentRuns(tx, payable.id)
    if (!transitionPayable(emit, payable, 'cancel', new Date())) {
      throw new ApiError('conflict', `${labelOf(payable)} is ${payable.status}`)
    }
    return payable
  })
}
