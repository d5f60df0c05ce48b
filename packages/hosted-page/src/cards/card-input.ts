import { numberLengths } from './card-brands.ts'

/** The text of an input and the position of its caret. */
export interface TypedText {
  readonly value: string
  readonly caret: number
}

/** Returns the digits of a text. */
export function digitsOf(text: string): string {
  return text.replace(/\D/g, '')
}

/** Groups a card number as embossed: 15 digits (Amex) 4-6-5, 14 digits 4-6-4, others by fours. */
export function groupNumber(digits: string): string {
  const longest = Math.max(...numberLengths(digits))
  const ends = longest === 15 || longest === 14 ? [4, 10] : [4, 8, 12, 16]
  const starts = [0, ...ends]
  return starts
    .map((start, i) => digits.slice(start, ends[i]))
    .filter(group => group !== '')
    .join(' ')
}

/** Groups a number while it is typed or pasted, and keeps the caret behind the same digit. */
export function typeNumber(text: string, caret: number): TypedText {
  const digits = digitsOf(text)
  const value = groupNumber(digits.slice(0, Math.max(...numberLengths(digits))))
  return { value, caret: caretAfter(value, text, caret) }
}

/**
 * Formats an expiry date as MM / YY while it is typed, pasted or autofilled.
 * A first digit above 1 is a month. A year may be typed as 20YY, then is shortened: no card from 2020 is still valid.
 */
export function typeExpiry(text: string, caret: number): TypedText {
  const typed = digitsOf(text)
  const loneMonth = /^\s*[2-9]/.test(text) || /^\s*\d\s*\//.test(text)
  const digits = shortYear(loneMonth ? `0${typed}` : typed)
  const value = digits.length > 2 ? `${digits.slice(0, 2)} / ${digits.slice(2)}` : digits
  return { value, caret: caretAfter(value, text, caret) }
}

function shortYear(digits: string): string {
  if (digits.slice(2, 4) !== '20') return digits.slice(0, 4)
  return digits.length < 6 ? digits : digits.slice(0, 2) + digits.slice(4, 6)
}

/** Returns at most the four digits that a security code can have. */
export function typeCvc(text: string, caret: number): TypedText {
  const value = digitsOf(text).slice(0, 4)
  return { value, caret: caretAfter(value, text, caret) }
}

function caretAfter(value: string, text: string, caret: number): number {
  if (caret >= text.length) return value.length
  const before = digitsOf(text.slice(0, caret)).length
  let seen = 0
  for (let at = 0; at < value.length; at++) {
    if (seen === before) return at
    if (/\d/.test(value.charAt(at))) seen++
  }
  return value.length
}
