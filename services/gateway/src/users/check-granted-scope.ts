import { ApiError, type Caller } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import { LockMode } from '@mikro-orm/postgresql'
import { type OperatorScope, operatorScope, scopeCovers } from '../callers/operator-scope.ts'
import { MerchantEntity } from '../merchants/gateway-merchant-entity.ts'

/** Throws a 403 if the wanted scope exceeds the caller's own. */
export function rejectScopeBeyondCaller(caller: Caller, wanted: OperatorScope): void {
  if (!scopeCovers(operatorScope(caller), wanted)) throw new ApiError('forbidden')
}

/** Locks the merchants until the user is stored. Throws a 403 if one does not exist. */
export async function lockMerchants(tx: Tx, wanted: OperatorScope): Promise<void> {
  if (wanted === 'all') return
  const there = await tx.find(
    MerchantEntity,
    { id: { $in: [...wanted] }, deleted_at: null },
    { lockMode: LockMode.PESSIMISTIC_READ, orderBy: { id: 'asc' } },
  )
  if (there.length !== wanted.length) throw new ApiError('forbidden')
}
