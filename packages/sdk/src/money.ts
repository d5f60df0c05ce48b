const largest = Number.MAX_SAFE_INTEGER

/**
 * Converts an amount such as `250.5` or `'250.50'` into minor units (cents), exactly. Throws a `RangeError` for more than two
 * decimals, which also shows amounts that were calculated in floating point, and for amounts that are too large to be exact.
 */
export function toCents(amount: number | string): number {
  const [, sign = '', units, cents = ''] = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(String(amount)) ?? []
  const value = Number(`${sign}${units}${cents.padEnd(2, '0')}`)
  // From 2^46 on, a number is not exact to the hundredth.
  const isInexact = typeof amount === 'number' && Math.abs(amount) >= 2 ** 46
  if (units === undefined || isInexact || Math.abs(value) > largest) {
    throw new RangeError(`toCents needs an amount with at most two decimals, such as '250.50'.`)
  }
  // Never -0.
  return value === 0 ? 0 : value
}

/** Converts minor units (cents) into a decimal text: 25050 into `'250.50'`. Throws a `RangeError` for what is no whole number. */
export function fromCents(cents: number): string {
  if (!Number.isSafeInteger(cents)) throw new RangeError('fromCents needs a whole number of minor units (cents).')
  const digits = String(Math.abs(cents)).padStart(3, '0')
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** An amount with its currency, such as a transaction. */
export interface Money {
  amount_cents: number
  /** ISO 4217. */
  currency: string
}

/** Formats an amount for people, in a locale such as `es-MX`; by default that of the program. */
export function formatMoney({ amount_cents, currency }: Money, locale?: string): string {
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency, minimumFractionDigits: 2 })
  // As a text, so that it is not rounded.
  return format.format(fromCents(amount_cents) as `${number}`)
}
