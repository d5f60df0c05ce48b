import { cardBrands, maxCardLength, minCardLength } from './card-brands.ts'

const groupStart = 16
const prefixLength = 4
const expiryLength = 4
const fromPrefixToEnd = minCardLength - prefixLength

/** The bits of `traitsOfFour` for lengths: `minCardLength` plus the number of the bit. */
const cardLengths = 0x3f
/** The bit of `traitsOfFour` for a month and a year, in any order, or a long year, of 2020 to 2049. */
const expiry = 0x40

/**
 * What four digits can be: the start of card numbers of some lengths, or an expiry. The index has four
 * bits for each digit.
 */
const traitsOfFour = tabulate()

/** Two sums that no digits have. */
const noSums = 0xff
/** One in each nibble; a nibble for each length of card numbers. */
const ones = 0x111111

/** A long run is searched in parts of this size, which fit into the fastest cache. */
export const capacity = 1_024
/** What a part has in common with the one before it. */
const overlap = maxCardLength + expiryLength

// A run has at most one separator between two digits, and none within a group. One is enough, because a scan is
// synchronous and calls nothing else. The search uses arrays and numbers of this module only: V8 compiles them as
// constants, and would load those of an object or another module for each digit.
const size = capacity + prefixLength
/** Each digit, plus `groupStart` if it starts a group. */
const digits = new Uint8Array(size)
/** Where each digit is in the text. */
const offsets = new Int32Array(size)
/** For the search: the sums before each digit, `prefixLength - 1` places later. */
const sums = new Uint8Array(size)
/** For the search: the lengths of cards that could end with each digit. */
const matches = new Int32Array(size)

/** The first and last digit of the card number that `findNextCard` found. */
export const found = { first: 0, last: 0 }

/** Sets a digit of the run: its value, whether it starts a group, and where it is in the text. */
export function setDigit(at: number, digit: number, startsGroup: boolean, offset: number): void {
  digits[at] = startsGroup ? digit + groupStart : digit
  offsets[at] = offset
}

/** Returns where a digit is in the text. */
export function offsetOf(at: number): number {
  return offsets[at] ?? 0
}

/** Makes a digit the start of a group: it follows a card number. */
export function startGroup(at: number): void {
  digits[at] = (digits[at] ?? 0) | groupStart
}

/** Drops the digits before `from` and those too far back. Returns how many it keeps. */
export function dropSearched(count: number, from: number): number {
  const start = Math.max(from, count - overlap)
  digits.copyWithin(0, start, count)
  offsets.copyWithin(0, start, count)
  return count - start
}

/**
 * Sets `found` to the next card number at or after a digit, in the first `count` ones. It starts where a group starts,
 * and ends where a group ends or an expiry follows.
 *
 * Digits pass the Luhn check if the sums before them and up to their last one are equal. All lengths are compared at once:
 * `before` has a nibble for each length, the shortest lowest, with the sum before the group that started so many digits
 * ago. So each digit takes the same time, whatever the text.
 */
export function findNextCard(count: number, from: number, isEnded: boolean): boolean {
  digits[count] = groupStart
  // Without the end of the run it is unknown whether the last digit ends a group.
  const end = isEnded ? count : count - 1
  const firstEnd = from + minCardLength - 1
  let sum = 0
  let four = 0
  let before = 15 * ones
  let beforeOdd = 15 * ones
  for (let at = from; at < end; at++) {
    const entry = digits[at] ?? 0
    const digit = entry & 15
    sums[at + prefixLength - 1] = entry < groupStart ? noSums : sum
    four = ((four << 4) | digit) & 0xffff
    const traits = traitsOfFour[four] ?? 0
    if ((traits & cardLengths) === 0) sums[at] = noSums
    sum = nextSums[(digit << 8) | sum] ?? 0
    if (at < firstEnd) continue
    const start = sums[at - fromPrefixToEnd] ?? 0
    const previous = before
    before = (beforeOdd << 4) | (start >> 4)
    beforeOdd = (previous << 4) | (start & 15)
    const difference = before ^ ((sum >> 4) * ones)
    // The upper bit of each nibble that is zero.
    const equal = ~(((difference & (7 * ones)) + 7 * ones) | difference) & (8 * ones)
    matches[at] = equal
    if (equal !== 0 && (digits[at + 1] ?? 0) >= groupStart && endsCard(at, equal)) return true
    const last = at - expiryLength
    if (traits >= expiry && last >= firstEnd && precedesExpiry(last)) return true
  }
  return false
}

/** Whether a card number ends with a digit, of one of the lengths whose nibbles are marked. */
function endsCard(last: number, marked: number): boolean {
  for (let rest = marked; rest !== 0; rest &= rest - 1) {
    const index = (31 - Math.clz32(rest & -rest)) >> 2
    const first = last + 1 - minCardLength - index
    if (((traitsOfFour[fourDigits(first)] ?? 0) >> index) & 1) {
      found.first = first
      found.last = last
      return true
    }
  }
  return false
}

/**
 * Whether a card number ends with a digit and an expiry follows. Either the card is one group or the
 * expiry ends one, because in lists of shorter numbers anything follows.
 */
function precedesExpiry(last: number): boolean {
  if (!endsCard(last, matches[last] ?? 0)) return false
  return (
    isGroupStart(digits[last + expiryLength + 1] ?? 0) || !digits.subarray(found.first + 1, last + 1).some(isGroupStart)
  )
}

const isGroupStart = (digit: number) => digit >= groupStart

/** Returns the digit and the next three, in four bits each. */
function fourDigits(at: number): number {
  const left = (((digits[at] ?? 0) & 15) << 4) | ((digits[at + 1] ?? 0) & 15)
  const right = (((digits[at + 2] ?? 0) & 15) << 4) | ((digits[at + 3] ?? 0) & 15)
  return (left << 8) | right
}

/**
 * The Luhn sums, mod 10, after another digit, by the digit (upper bits) and the sums before it: with
 * the last digit single in the upper nibble, and doubled in the lower one.
 */
const nextSums = new Uint8Array(10 << 8)
for (let digit = 0; digit < 10; digit++) {
  const doubled = digit < 5 ? 2 * digit : 2 * digit - 9
  for (let upper = 0; upper < 10; upper++) {
    for (let lower = 0; lower < 10; lower++) {
      nextSums[(digit << 8) | (upper << 4) | lower] = (((lower + digit) % 10) << 4) | ((upper + doubled) % 10)
    }
  }
}

function tabulate(): Uint8Array {
  const table = new Uint8Array(1 << 16)
  const add = (four: number, traits: number) => {
    const index = Number.parseInt(String(four), 16)
    table[index] = (table[index] ?? 0) | traits
  }
  for (const { prefixes, lengths } of cardBrands) {
    const traits = lengths.reduce((sum, length) => sum | (1 << (length - minCardLength)), 0)
    for (const range of prefixes) {
      const [first = '', last = first] = range.split('-')
      const end = Number(last.padEnd(4, '9'))
      for (let four = Number(first.padEnd(4, '0')); four <= end; four++) add(four, traits)
    }
  }
  for (let year = 20; year < 50; year++) {
    add(2_000 + year, expiry)
    for (let month = 1; month <= 12; month++) {
      add(100 * month + year, expiry)
      add(100 * year + month, expiry)
    }
  }
  return table
}
