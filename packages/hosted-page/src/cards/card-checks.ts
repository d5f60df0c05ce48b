import type { Messages } from '../text/messages-es.ts'
import { cvcLength, numberLengths } from './card-brands.ts'
import { digitsOf } from './card-input.ts'
import type { CardDetails } from './encrypt-card.ts'

/** The form's fields, in page order. */
export const fieldNames = ['number', 'expiry', 'cvc', 'holder', 'email'] as const

export type FieldName = (typeof fieldNames)[number]
export type CardFields = Readonly<Record<FieldName, string>>

export const emptyFields: CardFields = { number: '', expiry: '', cvc: '', holder: '', email: '' }

/** What is wrong with a field, as a key of its text. */
export type FieldFault = keyof Messages['faults']

/** Applies the Luhn check: every second digit from the right doubled, the sum divisible by ten. */
export function luhnHolds(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, char, i) => {
    const value = i % 2 === 0 ? Number(char) : Number(char) * 2
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return digits !== '' && sum % 10 === 0
}

/** Parses MM / YY; undefined if it is not a month. */
function parseExpiry(text: string): { month: number; year: number } | undefined {
  const digits = digitsOf(text)
  const month = Number(digits.slice(0, 2))
  if (digits.length !== 4 || month < 1 || month > 12) return undefined
  return { month, year: 2000 + Number(digits.slice(2)) }
}

/** Returns the error of one field, if any. `now` is in milliseconds. */
export function checkField(field: FieldName, fields: CardFields, now: number): FieldFault | undefined {
  return checks[field](fields, now)
}

const checks: Record<FieldName, (fields: CardFields, now: number) => FieldFault | undefined> = {
  number: ({ number }) => {
    const digits = digitsOf(number)
    if (digits === '') return 'number_missing'
    if (!numberLengths(digits).includes(digits.length)) return 'number_incomplete'
    return luhnHolds(digits) ? undefined : 'number_wrong'
  },
  expiry: ({ expiry }, now) => {
    if (expiry === '') return 'expiry_missing'
    const parsed = parseExpiry(expiry)
    // No card is valid for twenty years, so a later year is a typo.
    if (!parsed || parsed.year > new Date(now).getUTCFullYear() + 20) return 'expiry_wrong'
    return hasEnded(parsed, now) ? 'expiry_past' : undefined
  },
  cvc: ({ cvc, number }) => {
    if (cvc === '') return 'cvc_missing'
    const wanted = cvcLength(digitsOf(number))
    if (wanted ? cvc.length === wanted : cvc.length >= 3) return undefined
    return wanted === 4 ? 'cvc_four' : 'cvc_three'
  },
  holder: ({ holder }) => {
    if (holder.trim() === '') return 'holder_missing'
    // A digit here is usually the card number in the wrong field, which must not be sent as a name.
    return /\p{L}/u.test(holder) && !/\d/.test(holder) ? undefined : 'holder_wrong'
  },
  email: ({ email }) =>
    email.trim() === '' || /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(email.trim()) ? undefined : 'email_wrong',
}

/** Returns whether the card's month has ended in every time zone, 12 hours after its end in UTC. */
function hasEnded({ month, year }: { month: number; year: number }, now: number): boolean {
  return Date.UTC(year, month, 1, 12) <= now
}

/** Returns the form's errors by field. `names` are the fields that it has. */
export function checkFields(
  fields: CardFields,
  now: number,
  names: readonly FieldName[] = fieldNames,
): Partial<Record<FieldName, FieldFault>> {
  const faults = names.map(field => [field, checkField(field, fields, now)] as const)
  return Object.fromEntries(faults.filter(([, fault]) => fault))
}

/** Builds the card of a checked form; undefined if its expiry cannot be parsed. */
export function cardOf(fields: CardFields): CardDetails | undefined {
  const expiry = parseExpiry(fields.expiry)
  if (!expiry) return undefined
  return {
    number: digitsOf(fields.number),
    exp_month: expiry.month,
    exp_year: expiry.year,
    cvc: fields.cvc,
    holder_name: fields.holder.trim(),
  }
}
