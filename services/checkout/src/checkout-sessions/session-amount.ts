import { ApiError, type CreateCheckoutSession, maxAmountCents } from '@cobro/contracts'

type Item = NonNullable<CreateCheckoutSession['line_items']>[number]

/** The sum of line items in cents, added up in BigInt: a million times the largest unit price is more than a number holds. */
export function sumOfItems(items: readonly Pick<Item, 'quantity' | 'unit_price'>[]): number {
  const sum = items.reduce((total, item) => total + BigInt(item.quantity) * BigInt(item.unit_price), 0n)
  if (sum > BigInt(maxAmountCents))
    throw new ApiError('invalid_request', `line_items: expected a sum of at most ${maxAmountCents}`)
  return Number(sum)
}

/** What a session is about: the stated amount, else the sum of its items. */
export function sessionAmount(input: Pick<CreateCheckoutSession, 'amount_total' | 'line_items'>): number {
  const sum = sumOfItems(input.line_items ?? [])
  return input.amount_total ?? sum
}

/** What the page shows besides the items, so that they add up: a discount or a fee; 0 where no items are listed. */
export function adjustment(amountTotal: number, items: readonly Pick<Item, 'quantity' | 'unit_price'>[]): number {
  return items.length === 0 ? 0 : amountTotal - sumOfItems(items)
}
