import { hasCardNumber, maskCardNumbers } from '../src/fields/card-numbers.ts'

const kib = 1_024

/** A text as merchants send it. */
const plain = 'Pedido 1042: 3 camisas a $1,250.00 MXN; tel. 55 1234 5678, entrega 2026-11-21. '

/** What made the former search slow, or could make this one slow. */
const hostile = {
  'digits with dashes': '6-',
  'digits with blanks': '1 ',
  'single digits of a brand': '4-',
  'pairs that pass the Luhn check at a wrong length': '61-',
  'a brand of one length': '3-7-',
  'zeros, which pass the Luhn check everywhere': '0.',
  'one long group': '6',
  'groups longer than a card': '66666666666666666666 ',
  'groups as long as a card with an expiry': '41111111111111121228 ',
  'groups of four': '6116.',
  'groups of three': '616/',
  'runs that end before a card number': '6-6-6-6-6-6-6-6-6-6-6-6-6--',
  'card numbers': '4242-4242-4242-4242 ',
  'card numbers with colons': '4242:4242:4242:4242 ',
  'card numbers without end': '42-',
  'expiries without end': '1221 1221 ',
  UUIDs: 'aaaaaaaa-4000-4444-8444-4445aaaaaaaa ',
  'starts of UUIDs': '-41234567-1234-4124-',
  'ends of UUIDs': '-4242-8242-424242424242',
  times: '2026-11-21T22:36:08.123459+06:00 ',
  'pairs with slashes': '42/42/',
  'full-width digits': '６－',
  'digits of other planes': '𝟞 ',
  'circled numbers': '㉑㊷',
  fractions: '½',
  emoji: '6😀',
  'letters beyond ASCII': 'é4',
  'escapes of JSON': String.raw`6\t`,
  'escaped digits': String.raw`\u0036`,
  backslashes: '\\',
}

/** A hostile text may take so many times as long as plain text of that length. */
const maxRatio = 3
/** Other processes only add to a time, so the least of some rounds is compared. A busy machine needs many rounds. */
const minRounds = 5
const maxRounds = 200

/** Repeats a text up to a length in bytes, which is what limits a body. */
const textOf = (part: string, bytes: number) => part.repeat(Math.floor(bytes / Buffer.byteLength(part)))

const cell = new Int32Array(new SharedArrayBuffer(4))

/**
 * Returns the CPU time of this thread. Linux brings it up to date when the thread sleeps, else only
 * every few milliseconds.
 */
function threadTime(): number {
  Atomics.wait(cell, 0, 0, 1)
  const { user, system } = process.threadCpuUsage()
  return user + system
}

/** Lowers the CPU times of the texts to those of this round, if they are less. */
function measure(search: (text: string) => unknown, texts: readonly string[], least: number[]): void {
  texts.forEach((text, index) => {
    const start = threadTime()
    search(text)
    least[index] = Math.min(least[index] ?? Number.POSITIVE_INFINITY, threadTime() - start)
  })
}

test.each([
  ['hasCardNumber', (text: string) => hasCardNumber(text)],
  ['maskCardNumbers', (text: string) => maskCardNumbers(text)],
  ['maskCardNumbers in JSON', (text: string) => maskCardNumbers(text, 'json')],
] as const)(
  '%s takes at most three times as long for hostile texts as for plain text of that length',
  (name, search) => {
    const texts = [plain, ...Object.values(hostile)].map(part => textOf(part, 64 * kib))
    const least: number[] = []
    const ratios = () => least.slice(1).map(time => time / (least[0] ?? 0))
    const isSlow = () => Math.max(...ratios()) > maxRatio
    for (let round = 0; round < minRounds || (round < maxRounds && isSlow()); round++) measure(search, texts, least)
    const lines = Object.keys(hostile).map((what, index) => `  ${ratios()[index]?.toFixed(2)}  ${what}`)
    process.stdout.write(`${name}, times as long as for plain text:\n${lines.join('\n')}\n`)
    expect(lines.filter((_line, index) => (ratios()[index] ?? 0) > maxRatio)).toEqual([])
  },
)

test.each(Object.entries({ 'plain text': plain, ...hostile }))(
  'maskCardNumbers takes linear time from 1 to 256 KiB of %s',
  (_what, part) => {
    // Short texts are below the resolution of the clock, so that many are read at once.
    const least: number[] = []
    const texts = [textOf(part, kib), textOf(part, 256 * kib)]
    const readAll = (text: string) => {
      for (let bytes = 0; bytes < 256 * kib; bytes += Buffer.byteLength(text)) maskCardNumbers(text)
    }
    for (let round = 0; round < 3; round++) measure(readAll, texts, least)
    // The same bytes in 256 texts or in one: about 1 if the time is linear, about 256 if it is quadratic.
    expect((least[1] ?? 0) / (least[0] ?? 0)).toBeLessThan(5)
  },
)
