import { minCardLength } from './card-brands.ts'
import {
  backslash,
  digitKind,
  endOfCharacter,
  kindBits,
  kindMask,
  kindsAt,
  plainKindsAt,
  separatorKind,
} from './character-kinds.ts'
import { capacity, dropSearched, findNextCard, found, offsetOf, setDigit, startGroup } from './digit-run.ts'

/** Where a card number is in a text. */
interface Span {
  start: number
  end: number
}

const year = String.raw`(?:19|20|21)\d\d`
const month = '(?:0[1-9]|1[0-2])'
const dayOfMonth = String.raw`(?:0[1-9]|[12]\d|3[01])`
const hourAndMinute = String.raw`(?:[01]\d|2[0-3]):?[0-5]\d`
const time = String.raw`${hourAndMinute}(?::?[0-5]\d)?(?!\d)`

/**
 * UUIDs of RFC 9562, of which one in 5,000 looks like a card number; times of ISO 8601; and times as
 * people write them: 30/11/2026 10:00:05. A match of a UUID begins with its second dash, because V8 finds
 * a dash faster than eight hexadecimal digits. Times end with the seconds: the fraction and time zone after them have at
 * most 13 digits, too few for a card number.
 */
const uuidOrTime = new RegExp(
  [
    String.raw`-[1-8][\da-f]{3}-[89ab][\da-f]{3}-(?<=(?<![\da-f])[\da-f]{8}-[\da-f]{4}.{11})[\da-f]{12}(?![\da-f])`,
    String.raw`(?<!\d)${year}-?${month}-?${dayOfMonth}[T ]${time}`,
    String.raw`(?<!\d)${dayOfMonth}([/.])${month}\1${year} ${time}`,
  ].join('|'),
  'gi',
)

/** The length of a UUID up to its second dash. */
const uuidHead = 13

/** What a text is: with `json`, the escapes of JSON stand for their characters. */
type TextForm = 'plain' | 'json'

/**
 * Whether a text has a card number: the length of its brand, Luhn-valid, at most one separator
 * between digits. Reads digits, letters and separators as NFKC does.
 */
export function hasCardNumber(text: string, form: TextForm = 'plain'): boolean {
  return findCards(text, form, 1).length > 0
}

/** Replaces each card number in a text by `[card]`, for logs, traces and the audit log. */
export function maskCardNumbers(text: string, form: TextForm = 'plain'): string {
  const cards = findCards(text, form)
  if (cards.length === 0) return text
  let masked = ''
  let at = 0
  for (const { start, end } of cards) {
    masked += `${text.slice(at, start)}[card]`
    at = end
  }
  return masked + text.slice(at)
}

/** More characters than a card number has in any of its spellings, also percent-encoded. */
const cutMargin = 512

/**
 * Masks the start of a text and returns at most `max` characters of it. Reads no more than it
 * needs for that, and returns no part of a card number that the cut divides. `mask` defaults to card numbers.
 */
export function maskStart(text: string, max: number, mask = (part: string) => maskCardNumbers(part)): string {
  for (let size = max + cutMargin; ; size *= 2) {
    const isCut = text.length > size
    const masked = mask(isCut ? text.slice(0, size) : text)
    if (isCut && masked.length - cutMargin < max) continue
    const shown = masked.slice(0, max)
    return /[\ud800-\udbff]$/.test(shown) ? shown.slice(0, -1) : shown
  }
}

/** So many separators after a digit end a run. A letter ends it too. */
const runEnd = 2

interface Search {
  readonly text: string
  readonly cards: Span[]
  /** The last UUID or time that was found. */
  readonly exempt: Span
}

/** Finds the card numbers from left to right, in linear time. May stop when it has `most`. */
function findCards(text: string, form: TextForm, most = Number.POSITIVE_INFINITY): Span[] {
  const cards: Span[] = []
  const search = { text, cards, exempt: { start: 0, end: 0 } }
  let gap = runEnd
  let count = 0
  for (let at = 0, next = 0; at < text.length; at = next) {
    next = at + 1
    let kinds = plainKindsAt(text, at)
    if (kinds === 0 && form === 'plain' && text.charCodeAt(at) === backslash) kinds = separatorKind
    if (kinds === 0) {
      next = endOfCharacter(text, at)
      kinds = kindsAt(text, at, next)
    }
    do {
      const kind = kinds & kindMask
      if (kind >= digitKind) {
        setDigit(count, kind - digitKind, gap > 0, at)
        gap = 0
        count++
        if (count === capacity) {
          count = takeCards(search, count, false)
          if (cards.length >= most) return cards
        }
      } else if (gap < runEnd) {
        gap = kind === separatorKind ? gap + 1 : runEnd
        if (gap === runEnd) {
          if (count >= minCardLength) takeCards(search, count, true)
          if (cards.length >= most) return cards
          count = 0
        }
      }
      kinds >>= kindBits
    } while (kinds !== 0)
  }
  if (gap < runEnd) takeCards(search, count, true)
  return cards
}

/** Adds the card numbers of a run. Returns how many of its digits it keeps, because it goes on. */
function takeCards({ text, cards, exempt }: Search, count: number, isEnded: boolean): number {
  let from = 0
  while (count - from >= minCardLength && findNextCard(count, from, isEnded)) {
    const start = offsetOf(found.first)
    const end = endOfCharacter(text, offsetOf(found.last))
    const skipTo = endOfExempt(text, exempt, start, end)
    if (skipTo === 0) cards.push({ start, end })
    from = skipTo === 0 ? found.last + 1 : found.first + 1
    while (from < count && offsetOf(from) < skipTo) from++
    startGroup(from)
  }
  return isEnded ? 0 : dropSearched(count, from)
}

/** Returns the end of the UUID or time that a span overlaps, or 0. `known` is the newest one. */
function endOfExempt(text: string, known: Span, start: number, end: number): number {
  while (known.end <= start) {
    uuidOrTime.lastIndex = known.end
    const match = uuidOrTime.exec(text)
    known.start = match ? match.index - (text.charAt(match.index) === '-' ? uuidHead : 0) : text.length
    known.end = match ? match.index + match[0].length : text.length + 1
  }
  return known.start < end ? known.end : 0
}

/** Applies the Luhn check: every second digit from the right doubled, the sum divisible by ten. */
export function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i])
    const doubled = i % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
