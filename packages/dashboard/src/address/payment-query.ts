import { amountOf } from '../input/amount.ts'
import type { Search } from './search.ts'

/**
 * Returns the filters that a text may mean in a list of payments, the likeliest first: `4242 1250` is the end of a card and
 * an amount, `4242` the end of a card or part of a text, such as the number of an order.
 */
export function paymentQueriesOf(text: string): [Search, ...Search[]] {
  const plain = text.trim()
  const [, card_last4, rest] = /^(\d{4})(?:\s+(\S+))?$/.exec(plain) ?? []
  if (card_last4 === undefined) return [{ search: plain }]
  if (rest === undefined) return [{ card_last4 }, { search: plain }]
  const amount = amountOf(rest)
  return [
    amount === undefined ? { search: plain } : { card_last4, amount_cents: String(Math.round(100 * Number(amount))) },
  ]
}
