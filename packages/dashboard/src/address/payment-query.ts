import { amountOf } from '../input/amount.ts'
import type { Search } from './search.ts'

/**
 * Returns the filters that a text may mean in a list of payments, the likeliest first: `4242 1250` is the end of a card and
 * an amount, `4242` the end of a card or part of a text, such as the number of an order, and `$1,250` or `1250.50` an amount.
 */
export function paymentQueriesOf(text: string): [Search, ...Search[]] {
  const plain = text.trim()
  const [, card_last4, rest] = /^(\d{4})(?:\s+(\S+))?$/.exec(plain) ?? []
  if (card_last4 === undefined) {
    const amount_cents = /^\$|\.\d{1,2}$/.test(plain) ? centsOf(plain) : undefined
    return amount_cents === undefined ? [{ search: plain }] : [{ amount_cents }, { search: plain }]
  }
  if (rest === undefined) return [{ card_last4 }, { search: plain }]
  const amount_cents = centsOf(rest)
  return [amount_cents === undefined ? { search: plain } : { card_last4, amount_cents }]
}

function centsOf(text: string): string | undefined {
  const amount = amountOf(text)
  return amount && String(Math.round(100 * Number(amount)))
}
