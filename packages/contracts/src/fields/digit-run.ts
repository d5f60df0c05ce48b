import { cardLengths, expiry, maxCardLength, minCardLength, traitsOfFour } from './card-brands.ts'

/** A run of digits with at most one separator between two of them, in groups without any. */
export interface DigitRun {
  /** How many digits the arrays hold: those that are not searched yet. */
  count: number
  /** Each digit, plus `groupStart` if it starts a group. */
  readonly digits: Uint8Array
  /** Where each digit is in the text. */
  readonly offsets: Int32Array
  /** For the search: the sums before each digit, `prefixLength - 1` places later. */
  readonly sums: Uint8Array
  /** For the search: the lengths of cards that could end with each digit. */
  readonly matches: Int32Array
  /** The first and last digit of the card number that was found. */
  first: number
  last: number
}

export const groupStart = 16
const prefixLength = 4
const expiryLength = 4

/** Two sums that no digits have. */
const noSums = 0xff
/** One in each nibble; a nibble for each length of card numbers. */
const ones = 0x111111

/** A long run is searched in parts of this size, which fit into the fastest cache. */
export const capacity = 1_024
/** What a part has in common with the one before it. */
const overlap = maxCardLength + expiryLength

export function newRun(): DigitRun {
  const size = capacity + prefixLength
  return {
    count: 0,
    digits: new Uint8Array(size),
    offsets: new Int32Array(size),
    sums: new Uint8Array(size),
    matches: new Int32Array(size),
    first: 0,
    last: 0,
  }
}

/** Makes a digit the start of a group: it follows a card number. */
export function startGroup({ digits }: DigitRun, at: number): void {
  digits[at] = (digits[at] ?? 0) | groupStart
}

/** Drops the digits before `from` and those too far back. Returns how many it keeps. */
export function dropSearched(run: DigitRun, from: number): number {
  const first = Math.max(from, run.count - overlap)
  run.digits.copyWithin(0, first, run.count)
  run.offsets.copyWithin(0, first, run.count)
  return run.count - first
}

/**
 * Finds the next card number at or after a digit: `first` and `last` of the run. It starts where a
 * group starts, and ends where a group ends or an expiry follows.
 *
 * Digits pass the Luhn check if the sums before them and up to their last one are equal. All lengths are compared at once:
 * `before` has a nibble for each length, the shortest lowest, with the sum before the group that started so many digits
 * ago. So each digit takes the same time, whatever the text.
 */
export function findNextCard(run: DigitRun, from: number, isEnded: boolean): boolean {
  const { count, digits, sums, matches } = run
  digits[count] = groupStart
  // Without the end of the run it is unknown whether the last digit ends a group.
  const end = isEnded ? count : count - 1
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
    if (at < from + minCardLength - 1) continue
    const start = sums[at - minCardLength + prefixLength] ?? 0
    const previous = before
    before = (beforeOdd << 4) | (start >> 4)
    beforeOdd = (previous << 4) | (start & 15)
    const difference = before ^ ((sum >> 4) * ones)
    // The upper bit of each nibble that is zero.
    const equal = ~(((difference & (7 * ones)) + 7 * ones) | difference) & (8 * ones)
    matches[at] = equal
    if (equal !== 0 && (digits[at + 1] ?? 0) >= groupStart && endsCard(run, at, equal)) return true
    const last = at - expiryLength
    if (traits >= expiry && last >= from + minCardLength - 1 && precedesExpiry(run, last)) return true
  }
  return false
}

/** Whether a card number ends with a digit, of one of the lengths whose nibbles are marked. */
function endsCard(run: DigitRun, last: number, marked: number): boolean {
  for (let rest = marked; rest !== 0; rest &= rest - 1) {
    const index = (31 - Math.clz32(rest & -rest)) >> 2
    const first = last + 1 - minCardLength - index
    if (((traitsOfFour[fourDigits(run, first)] ?? 0) >> index) & 1) {
      run.first = first
      run.last = last
      return true
    }
  }
  return false
}

/**
 * Whether a card number ends with a digit and an expiry follows. Either the card is one group or the
 * expiry ends one, because in lists of shorter numbers anything follows.
 */
function precedesExpiry(run: DigitRun, last: number): boolean {
  const { digits, matches } = run
  if (!endsCard(run, last, matches[last] ?? 0)) return false
  return (
    isGroupStart(digits[last + expiryLength + 1] ?? 0) || !digits.subarray(run.first + 1, last + 1).some(isGroupStart)
  )
}

const isGroupStart = (digit: number) => digit >= groupStart

/** Returns the digit and the next three, in four bits each. */
function fourDigits({ digits }: DigitRun, at: number): number {
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
