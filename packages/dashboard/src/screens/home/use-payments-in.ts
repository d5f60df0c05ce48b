import type { Search } from '../../address/search.ts'
import { useMe } from '../../api/use-me.ts'
import type { Rows } from '../../parts/rows-link.tsx'

/** Returns the list of the payments in a currency with some filters. Where there is one currency, it is no filter. */
export function usePaymentsIn(currency: string): (search: Search) => Rows {
  const { me } = useMe()
  const ofCurrency: Search = me && me.currencies.length > 1 ? { currency } : {}
  return search => ({ to: '/$scope/payments', search: { ...search, ...ofCurrency } })
}
