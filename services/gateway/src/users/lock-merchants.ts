import { ApiError } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import { LockMode } from '@mikro-orm/postgresql'
import type { OperatorScope } from '../callers/operator-scope.ts'
import { MerchantEntity } from '../merchants/gateway-merchant-entity.ts'

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
