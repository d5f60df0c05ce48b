import type { Caller, PaymentReportQuery } from '@cobro/contracts'
import { scopeOf } from '@cobro/database'

/** Returns the view of kept hours that holds what a caller may see, and the condition that selects a query's rows. */
export function reportSource(caller: Caller, query: PaymentReportQuery, view: 'payment' | 'decline') {
  const { merchant_id } = scopeOf(caller)
  const { currency, payment_method, rail, card_brand } = query
  const filters = Object.entries({ currency, payment_method, rail, card_brand }).filter(
    ([, value]) => value !== undefined,
  )
  const conditions = filters.map(([name]) => `${name} = ?`)
  const params: unknown[] = filters.map(([, value]) => value)
  if (merchant_id !== undefined) {
    const merchants = typeof merchant_id === 'string' ? [merchant_id] : merchant_id.$in
    conditions.push('merchant_id = any(?::text[])')
    params.push(`{${merchants.join(',')}}`)
  }
  const from = `transactions.${view}_hour_totals${merchant_id === undefined ? '_of_all' : ''}`
  return { from, where: conditions.join(' and '), params }
}
