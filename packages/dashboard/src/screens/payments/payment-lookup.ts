import type { ExportTransactionsParams, ListTransactionsParams } from '@cobro/sdk/admin'
import type { ListParams } from '../../address/list-search.ts'

/** Looks a payment up by its id where the text is one: the search of the API looks in other columns. */
export function lookUp({ search, ...params }: ListParams): ListTransactionsParams {
  if (search === undefined) return params
  return /^\s*txn_\w+\s*$/.test(search) ? { ...params, id: search.trim() } : { ...params, search }
}

/** Returns what an export is asked for: all rows that a list finds on its pages. */
export function lookUpAll(params: ListParams): ExportTransactionsParams {
  const { limit: _limit, offset: _offset, count: _count, ...filters } = lookUp(params)
  return filters
}
