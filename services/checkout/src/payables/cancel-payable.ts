import { ApiError, type Caller } from '@cobro/contracts'
import { type Database, getRow, type Tx } from '@cobro/database'
import type { EntitySchema } from '@mikro-orm/core'
import { refuseFrozen } from '../payment-attempts/attempt-entity.ts'
import { lockPayable } from './lock-payable.ts'
import { movePayable } from './move-payable.ts'
import { nameOf, type Payable } from './payable.ts'

/** Cancels an open session or link for its merchant. While a payment runs nothing may change under it: 409. */
export function cancelPayable<P extends Payable>(
  db: Database,
  entity: EntitySchema<P>,
  caller: Caller,
  id: string,
): Promise<P> {
  return cancel(db, tx => getRow(tx, entity, caller, id, { lock: true }))
}

/** Cancels a pending session for its payer, who knows its id. */
export function cancelForPayer(db: Database, id: string): Promise<Payable> {
  return cancel(db, tx => lockPayable(tx, id))
}

function cancel<P extends Payable>(db: Database, load: (tx: Tx) => Promise<P>): Promise<P> {
  return db.write(async (tx, emit) => {
    const payable = await load(tx)
    await refuseFrozen(tx, payable.id)
    if (!movePayable(emit, payable, 'cancel', new Date())) {
      throw new ApiError('conflict', `${nameOf(payable)} is ${payable.status}`)
    }
    return payable
  })
}
