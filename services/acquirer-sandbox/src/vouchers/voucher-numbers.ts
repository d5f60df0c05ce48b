const amountDigits = 11

/** Writes a day as YYYY-MM-DD, by the clocks that the counters close by. */
const localDay = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Mexico_City' })

/** Fourteen digits that begin like no card number does, made of `random` (below 10^12). */
export function voucherReference(random: number): string {
  return `93${String(random).padStart(12, '0')}`
}

/** What a counter scans: reference, day due (YYMMDD, in Mexico City), amount in cents, and a check digit over all of it. */
export function voucherBarcode({
  reference,
  due_at,
  amount_cents,
}: {
  reference: string
  due_at: Date
  amount_cents: number
}): string {
  const day = localDay.format(due_at).slice(2).replaceAll('-', '')
  const digits = `${reference}${day}${String(amount_cents).padStart(amountDigits, '0')}`
  return `${digits}${checkDigit(digits)}`
}

/** Weights of 3 and 1 in turn from the right, as under the barcodes of goods. */
function checkDigit(digits: string): number {
  const sum = [...digits].toReversed().reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 3 : 1), 0)
  return (10 - (sum % 10)) % 10
}
