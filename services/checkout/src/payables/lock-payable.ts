import { ApiError, type PayableId } from '@cobro/contracts'
import { findRow, type Tx } from '@cobro/database'
import { updateCallContext } from '@cobro/runtime'
import { type Payable, payableEntity } from './payable.ts'

/** Loads and locks a session or link until the transaction ends. Every change does so first. */
export async function lockPayable(tx: Tx, id: PayableId): Promise<Payable> {
  const payable = await findRow(tx, payableEntity(id), { id }, { lock: true })
  if (!payable) throw new ApiError('not_found')
  updateCallContext(payable)
  return payable
}
