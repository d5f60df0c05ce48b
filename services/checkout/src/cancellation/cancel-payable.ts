import { ApiError, type Caller } from '@cobro/contracts'
import { type Database, getRow, type Tx } from '@cobro/database'
import type { EntitySchema } from '@mikro-orm/core'
import { lockPayable } from '../payables/lock-payable.ts'
import { labelOf, type Payable } from '../payables/payable.ts'
import { transitionPayable } from '../payables/transition-payable.ts'
import { rejectWhilePaymentRuns } from '../payment-attempts/payment-attempt-entity.ts'

/** Cancels an open session or link for its merchant. */
export function cancelPayable<P extends Payable>(
  db: Database,
  entity: EntitySchema<P>,
  caller: Caller,
  id: string,
): Promise<P> {
  return cancel(db, tx => getRow(tx, entity, caller, id, { lock: true }))
}

/** Cancels a pending session for its payer, who is authorized by knowing its id. */
export function cancelForPayer(db: Database, id: string): Promise<Payable> {
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
