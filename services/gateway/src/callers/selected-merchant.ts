import { type ParsedUrlQuery, parse } from 'node:querystring'

const name = 'merchant_id'

/**
 * Reads the merchant ids that a request selects for an operator, in the header `X-Merchant-Id` and
 * in the query. Returns also the request target without `merchant_id`, which is not a parameter of the operation.
 */
export function selectedMerchants(target: string, header: readonly string[] = []) {
  const start = target.indexOf('?')
  if (start === -1) return { ids: [...header], target }
  const query = new URLSearchParams(target.slice(start + 1))
  const ids = [...header, ...query.getAll(name)]
  query.delete(name)
  const path = target.slice(0, start)
  return { ids, target: query.size === 0 ? path : `${path}?${query}` }
}

/** Puts the merchant that a request selects in its query back into the service's link to another page of the list. */
export function withSelectedMerchant(link: string, target: string): string {
  const id = new URLSearchParams(target.slice(target.indexOf('?') + 1)).get(name)
  return id === null ? link : link.replace('?', `?${name}=${encodeURIComponent(id)}&`)
}

/** Express's query parser for the gateway's own routes: flat, and without `merchant_id`. */
export function parseOperationQuery(text: string | null): ParsedUrlQuery {
  const { [name]: _selected, ...query } = parse(text ?? '')
  return query
}
