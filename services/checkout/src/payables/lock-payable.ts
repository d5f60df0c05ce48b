import { ApiError, type PayableId } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import { updateCallContext } from '@cobro/runtime'
import { LockMode } from '@mikro-orm/core'
import { type Payable, payableEntity } from './payable.ts'

/** Loads and locks a session or link until the transaction ends. Every change does so first. */
export async function lockPayable(tx: Tx, id: PayableId): Promise<Payable> {
  const payable = await tx.findOne(payableEntity(id), { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!payable) throw new ApiError('not_found')
  updateCallContext(payable)
  return payable
}
