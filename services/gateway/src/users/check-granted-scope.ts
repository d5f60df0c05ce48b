import { ApiError, type Caller } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import { LockMode } from '@mikro-orm/postgresql'
import { type OperatorScope, operatorScope, scopeCovers } from '../callers/operator-scope.ts'
import { MerchantEntity } from '../merchants/gateway-merchant-entity.ts'

/** Refuses to give a user what the caller has not got itself. */
export function rejectScopeBeyondCaller(caller: Caller, wanted: OperatorScope): void {
  if (!scopeCovers(operatorScope(caller), wanted)) throw new ApiError('forbidden')
}

/**
 * Refuses merchants that are not there, as if they were outside the caller's scope, and keeps the others from being deleted
 * until the user is stored.
 */
export async function lockMerchants(tx: Tx, wanted: OperatorScope): Promise<void> {
  if (wanted === 'all') return
  const there = await tx.find(
    MerchantEntity,
    { id: { $in: [...wanted] }, deleted_at: null },
    { lockMode: LockMode.PESSIMISTIC_READ, orderBy: { id: 'asc' } },
  )
  if (there.length !== wanted.length) throw new ApiError('forbidden')
}
