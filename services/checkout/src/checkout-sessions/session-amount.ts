import { ApiError, type CreateCheckoutSession, maxAmountCents } from '@cobro/contracts'

type Item = NonNullable<CreateCheckoutSession['line_items']>[number]

/** Returns the sum of line items in cents. BigInt, because it can exceed the safe integers. */
export function sumOfItems(items: readonly Pick<Item, 'quantity' | 'unit_price'>[]): number {
  const sum = items.reduce((total, item) => total + BigInt(item.quantity) * BigInt(item.unit_price), 0n)
  if (sum > BigInt(maxAmountCents))
    throw new ApiError('invalid_request', `line_items: expected a sum of at most ${maxAmountCents}`)
  return Number(sum)
}

/** Returns a session's amount: the given one, else the sum of its items. */
export function sessionAmount(input: Pick<CreateCheckoutSession, 'amount_total' | 'line_items'>): number {
  const sum = sumOfItems(input.line_items ?? [])
  return input.amount_total ?? sum
}

/** Returns the amount less the items, which the page shows as discount or fee; 0 without items. */
export function adjustment(amountTotal: number, items: readonly Pick<Item, 'quantity' | 'unit_price'>[]): number {
  return items.length === 0 ? 0 : amountTotal - sumOfItems(items)
}
