import type { IssuedVoucher } from '@cobro/acquirer'

type PrintedFields = Pick<IssuedVoucher, 'reference' | 'due_at' | 'amount_cents'>

const amountDigits = 11

/** Formats a day as YYYY-MM-DD in the time zone of the stores. */
const localDay = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Mexico_City' })

/** Returns a reference of 14 digits from `random` (below 10^12). No card number has its prefix. */
export function voucherReference(random: number): string {
  return `93${String(random).padStart(12, '0')}`
}

/** Returns reference, due day (YYMMDD in Mexico City), cents, and a check digit over all of it. */
export function voucherBarcode({ reference, due_at, amount_cents }: PrintedFields): string {
  const day = localDay.format(due_at).slice(2).replaceAll('-', '')
  const digits = `${reference}${day}${String(amount_cents).padStart(amountDigits, '0')}`
  return `${digits}${checkDigit(digits)}`
}

/** Calculates the check digit of EAN barcodes: alternating weights of 3 and 1 from the right. */
function checkDigit(digits: string): number {
  const sum = [...digits].toReversed().reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 3 : 1), 0)
  return (10 - (sum % 10)) % 10
}
