import { ApiError, type Caller } from '@cobro/contracts'
import type { Reader } from '@cobro/database'
import { updateCallContext } from '@cobro/runtime'
import { LockMode } from '@mikro-orm/postgresql'
import { operatorScope, scopeCovers } from '../callers/operator-scope.ts'
import { MerchantEntity, type MerchantRow } from './gateway-merchant-entity.ts'

/** Reads a merchant for an operator: 404 where there is none, 403 where it is outside the operator's scope. */
export async function getMerchant(
  em: Reader,
  caller: Caller,
  id: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<MerchantRow> {
  const options = lock ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {}
  const row = await em.findOne(MerchantEntity, { id, deleted_at: null }, options)
  if (!row) throw new ApiError('not_found')
  if (!scopeCovers(operatorScope(caller), [id])) throw new ApiError('forbidden')
  updateCallContext({ merchant_id: id })
  return row
}

/** The condition of the merchants that an operator may see. */
export function visibleMerchants(caller: Caller): object {
  const scope = operatorScope(caller)
  return { deleted_at: null, ...(scope === 'all' ? {} : { id: { $in: scope } }) }
}
