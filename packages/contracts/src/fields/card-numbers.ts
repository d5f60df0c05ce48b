const maxLength = 19
/**
 * UUIDs of RFC 9562, to skip (one in 5,000 looks like a card number), or runs of 14 digits or more.
 * Shorter runs are too short for any brand; skipping them is cheaper than checking them.
 */
const uuidOrRun = /(?<uuid>\b[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}\b)|\d(?:[ -]?\d){13,}/gi

/** Whether a text has a card number: of a brand's length, Luhn-valid, single blanks or dashes. */
export function hasCardNumber(text: string): boolean {
  return [...text.matchAll(uuidOrRun)].some(match => !match.groups?.uuid && !spansOfCards(match[0]).next().done)
}

/** Replaces each card number in a text by `[card]`, for logs, traces and the audit log. */
export function maskCardNumbers(text: string): string {
  return text.replace(uuidOrRun, (found, uuid?: string) => uuid ?? maskRun(found))
}

function maskRun(digits: string): string {
  let masked = ''
  let at = 0
  for (const { start, end } of spansOfCards(digits)) {
    masked += `${digits.slice(at, start)}[card]`
    at = end
  }
  return masked + digits.slice(at)
}

/**
 * Finds the card numbers in a run of digit groups by trying every sequence of whole groups,
 * as other digits may precede one ("order 7 4242 4242 …"). Sequences have a limited length, so the time is linear.
 */
function* spansOfCards(text: string): Generator<{ start: number; end: number }> {
  const groups = [...text.matchAll(/\d+/g)].map(match => ({
    digits: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }))
  for (let first = 0; first < groups.length; first++) {
    let digits = ''
    for (let last = first; last < groups.length && digits.length < maxLength; last++) {
      digits += groups[last]?.digits
      if (!isCardNumber(digits)) continue
      yield { start: groups[first]?.start ?? 0, end: groups[last]?.end ?? 0 }
      first = last
      break
    }
  }
}

function isCardNumber(digits: string): boolean {
  return hasBrandLength(digits) && passesLuhn(digits)
}

function hasBrandLength(digits: string): boolean {
  const { length } = digits
  const two = Number(digits.slice(0, 2))
  const four = Number(digits.slice(0, 4))
  const maestro = two === 50 || (two >= 56 && two <= 58) || digits.startsWith('6')
  if (maestro) return length >= 16 && length <= 19
  if (digits.startsWith('4')) return length === 16 || length === 19
  if (two === 34 || two === 37) return length === 15
  if (two === 30 || two === 36 || two === 38 || two === 39) return length === 14
  return length === 16 && (two === 35 || (two >= 51 && two <= 55) || (four >= 2221 && four <= 2720))
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
