import { ApiError, type Caller, type Id, type ListQuery, merchants } from '@cobro/contracts'
import { type Database, listRows, type Reader } from '@cobro/database'
import { updateCallContext } from '@cobro/runtime'
import { LockMode } from '@mikro-orm/postgresql'
import { operatorScope, scopeCovers } from '../callers/operator-scope.ts'
import { MerchantEntity, type MerchantRow } from './gateway-merchant-entity.ts'

/** Returns a page of the merchants in the operator's scope. */
export function listMerchants(db: Database, caller: Caller, query: ListQuery) {
  const columns = { search: merchants.search, scope: visibleMerchants(caller) }
  return db.read(em => listRows(em, MerchantEntity, caller, query, columns))
}

/** Returns a merchant to an operator. Throws a 404 if it is missing, a 403 if out of scope. */
export function getMerchant(db: Database, caller: Caller, id: Id<'mrc'>): Promise<MerchantRow> {
  return db.read(em => getMerchantRow(em, caller, id))
}

/** The same with a given reader or transaction, which can lock the row. */
export async function getMerchantRow(
  em: Reader,
  caller: Caller,
  id: Id<'mrc'>,
  { lock = false }: { lock?: boolean } = {},
): Promise<MerchantRow> {
  const options = lock ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {}
  const row = await em.findOne(MerchantEntity, { id, deleted_at: null }, options)
  if (!row) throw new ApiError('not_found')
  if (!scopeCovers(operatorScope(caller), [id])) throw new ApiError('forbidden')
  updateCallContext({ merchant_id: id })
  return row
}

/** The condition that selects the merchants in the operator's scope. */
function visibleMerchants(caller: Caller): object {
  const scope = operatorScope(caller)
  return { deleted_at: null, ...(scope === 'all' ? {} : { id: { $in: scope } }) }
}
