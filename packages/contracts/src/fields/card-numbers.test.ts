import { cardBrands } from './card-brands.ts'
import { hasCardNumber, maskCardNumbers, maskStart, passesLuhn } from './card-numbers.ts'
import { clabeCheckDigit } from './clabe.ts'
import { newId } from './ids.ts'

test.each([
  '4242424242424242',
  '4242 4242 4242 4242',
  '4242-4242-4242-4242',
  '5555555555554444',
  '2223003122003222',
  '378282246310005',
  '3782 822463 10005',
  '30569309025904',
  '6011111111111117',
  '3530111333300000',
  'ref 7 4242 4242 4242 4242 please',
  'x4242424242424242x',
  '12 4242424242424242 34',
])('hasCardNumber finds the card number in %p', text => {
  expect(hasCardNumber(text)).toBe(true)
  const masked = maskCardNumbers(text)
  expect(masked).toContain('[card]')
  expect(hasCardNumber(masked)).toBe(false)
})

test.each([
  '4242424242424241',
  '1234567890123',
  '4006381333931',
  '1732150000000',
  '2026-11-21 02:36:48',
  '12345678901234567890',
  '4242  4242 4242 4242',
  '',
])('hasCardNumber finds no card number in %p', text => {
  expect(hasCardNumber(text)).toBe(false)
  expect(maskCardNumbers(text)).toBe(text)
})

/** Digits as they are written elsewhere, by the first of each ten. */
const written = (digits: string, zero: number) =>
  digits.replaceAll(/\d/g, digit => String.fromCodePoint(zero + Number(digit)))

test.each([
  ['dots', '4242.4242.4242.4242'],
  ['slashes', '4242/4242/4242/4242'],
  ['backslashes', String.raw`4242\4242\4242\4242`],
  ['underscores', '4242_4242_4242_4242'],
  ['commas', '4242,4242,4242,4242'],
  ['colons', '4242:4242:4242:4242'],
  ['stars', '4242*4242*4242*4242'],
  ['bars', '4242|4242|4242|4242'],
  ['pluses', '4242+4242+4242+4242'],
  ['tabs', '4242\t4242\t4242\t4242'],
  ['line breaks', '4242\n4242\n4242\n4242'],
  ['NULs', ['4242', '4242', '4242', '4242'].join('\0')],
  ['no-break spaces', '4242\u00a04242\u00a04242\u00a04242'],
  ['thin spaces', '4242\u20094242\u20094242\u20094242'],
  ['zero-width spaces', '4242\u200b4242\u200b4242\u200b4242'],
  ['soft hyphens', '4242\u00ad4242\u00ad4242\u00ad4242'],
  ['non-breaking hyphens', '4242\u20114242\u20114242\u20114242'],
  ['en dashes', '4242–4242–4242–4242'],
  ['em dashes', '4242—4242—4242—4242'],
  ['minus signs', '4242−4242−4242−4242'],
  ['middle dots', '4242·4242·4242·4242'],
  ['bullets', '4242•4242•4242•4242'],
  ['combining marks', '4242\u03014242\u03014242\u03014242'],
  ['emoji', '4242💳4242💳4242💳4242'],
  ['mixed separators', '4242-4242 4242/4242'],
  ['a separator after each digit', '4.2.4.2.4.2.4.2.4.2.4.2.4.2.4.2'],
  ['full-width digits', written('4242424242424242', 0xff10)],
  ['full-width digits with full-width blanks', written('4242\u30004242\u30004242\u30004242', 0xff10)],
  ['superscript digits', '⁴²⁴²⁴²⁴²⁴²⁴²⁴²⁴²'],
  ['subscript digits', '₄₂₄₂₄₂₄₂₄₂₄₂₄₂₄₂'],
  ['mathematical digits', written('4242424242424242', 0x1d7ce)],
  ['circled digits', '④②④②④②④②④②④②④②④②'],
  ['circled numbers', '㊷㊷㊷㊷㊷㊷㊷㊷'],
  ['an expiry after it', '42424242424242421228'],
  ['an expiry and a security code after it', '42424242424242421228123'],
  ['an expiry with a long year after it', '4242424242424242122028'],
  ['an expiry that is divided', '424242424242424212/28'],
  ['the year before the month', '42424242424242422812'],
  ['an expiry after the last group', '4242 4242 4242 42421228'],
  ['an expiry, after another number', '7 42424242424242421228'],
  ['track 1', '%B4242424242424242^DOE/JANE^2812101?'],
  ['track 2', ';4242424242424242=28121010000000000?'],
  ['a long year after it', '4242424242424242202812'],
  ['a backslash and a u before it', String.raw`\u4242424242424242`],
])('hasCardNumber finds a card number spelled with %s', (_what, text) => {
  expect(hasCardNumber(text)).toBe(true)
  expect(hasCardNumber(maskCardNumbers(`a ${text} b`))).toBe(false)
})

test.each([
  ['escapes', String.raw`{"note":"4242\t4242\n4242\u00a04242"}`],
  ['escapes of JSON in JSON', String.raw`"{\"note\":\"4242\\t4242\\u00a04242\\\"4242\"}"`],
  ['escaped digits', String.raw`\u0034242424242424242`],
  ['an escaped letter', String.raw`\u00e94242424242424242`],
  ['digits after a backslash and a u', String.raw`\\u4242424242424242`],
])('hasCardNumber finds a card number in JSON with %s', (_what, text) => {
  expect(hasCardNumber(text, 'json')).toBe(true)
  expect(hasCardNumber(maskCardNumbers(`a ${text} b`, 'json'), 'json')).toBe(false)
})

/** Returns a Luhn-valid number of that length. */
function cardOf(prefix: string, length: number): string {
  const digits = prefix.padEnd(length - 1, '7')
  return [...'0123456789'].map(check => digits + check).find(passesLuhn) ?? ''
}

const everyCard = cardBrands.flatMap(({ brand, prefixes, lengths }) =>
  prefixes
    .flatMap(range => range.split('-'))
    .flatMap(prefix => lengths.map(length => [brand, length, cardOf(prefix, length)] as const)),
)

test.each(everyCard)('hasCardNumber finds the number of %s of %i digits: %s', (_brand, length, card) => {
  expect(card).toHaveLength(length)
  expect(hasCardNumber(card)).toBe(true)
  expect(hasCardNumber([...card].join('.'))).toBe(true)
})

test.each([
  ['carnet', '2869000000000005'],
  ['rupay', '8100000000000002'],
  ['mir', '2200000000000004'],
  ['troy', '9792000000000001'],
])('hasCardNumber knows %s: %s', (_brand, start) => {
  expect(hasCardNumber(cardOf(start.slice(0, 10), 16))).toBe(true)
})

test.each([
  ['two separators', '4242--4242--4242--4242'],
  ['a letter between', '42424242A42424242'],
  ['thirteen digits', '4222222222222'],
  ['a longer number', '4242424242424242000000'],
  ['a longer number with no month', '42424242424242421328'],
  ['a longer number with a year long ago', '42424242424242421299'],
  ['an unknown brand', cardOf('7', 16)],
  ['a length that the brand does not have', cardOf('4', 17)],
  ['a wrong check digit', '4242424242424241'],
])('hasCardNumber ignores digits with %s', (_what, text) => {
  expect(hasCardNumber(text)).toBe(false)
})

const random = (max: number) => Math.floor(Math.random() * max)
const digitsOf = (length: number) => Array.from({ length }, () => random(10)).join('')
const many = <T>(make: () => T) => Array.from({ length: 20_000 }, make)

/** Times of 2000 to 2099, as programs print them. */
function timeOf(): string {
  const iso = new Date(
    Date.UTC(2000 + random(100), random(12), 1 + random(28), random(24), random(60), random(60), random(1000)),
  )
    .toISOString()
    .replace('Z', `${digitsOf(random(7))}`)
  const zone = ['', 'Z', '+00:00', '-06:00', '+0530', '+05'][random(6)] ?? ''
  const time = `${iso}${zone}`
  const separated = random(2) ? time.replace('T', ' ') : time
  return random(4) ? separated : separated.replaceAll(/(?<=^[^+.]*)[:-](?=.*\.)/g, '')
}

const phones = ['+52 55 1234 5678', '0052 (55) 1234-5678', '+1-415-555-0132', '+34 612 34 56 78', '+380 44 123 4567']
const phoneOf = () => (phones[random(phones.length)] ?? '').replaceAll(/(?<=\+?\d{2,}.*)\d/g, () => digitsOf(1))

function eanOf(): string {
  const digits = digitsOf(12)
  const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 1 : 3), 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

test.each([
  [
    'ULIDs',
    () =>
      newId('txn', random(2 ** 47))
        .slice(4)
        .toUpperCase(),
  ],
  ['ids', () => newId('txn')],
  ['UUIDs', () => crypto.randomUUID()],
  ['lists of UUIDs', () => `${crypto.randomUUID()},${crypto.randomUUID()} ${crypto.randomUUID()}`],
  ['ISO times', timeOf],
  ['spans of ISO times', () => `${timeOf()}/${timeOf()}`],
  ['epochs in milliseconds', () => String(1_500_000_000_000 + random(500_000_000_000))],
  ['epochs in nanoseconds', () => `1${digitsOf(18)}`],
  ['phone numbers', phoneOf],
  ['EAN-13', eanOf],
  ['lists of EAN-13', () => `${eanOf()},${eanOf()}`],
])('hasCardNumber finds no card number in 20,000 %s', (_what, make) => {
  expect(many(make).filter(text => hasCardNumber(text))).toEqual([])
})

test('at most one in fifteen order numbers of 14 to 19 digits looks like a card number', () => {
  const rates = [14, 15, 16, 17, 18, 19].map(length => {
    const found = many(() => digitsOf(length)).filter(text => hasCardNumber(text)).length
    return [length, found / 20_000] as const
  })
  const lines = rates.map(([length, rate]) => `  ${length} digits: ${(100 * rate).toFixed(2)} %`)
  process.stdout.write(`order numbers that look like card numbers:\n${lines.join('\n')}\n`)
  for (const [, rate] of rates) expect(rate).toBeLessThan(1 / 15)
})

test('a CLABE of a bank whose number begins with 6 may look like a card number', () => {
  const clabes = many(() => `646${digitsOf(14)}`).map(digits => digits + clabeCheckDigit(digits))
  // Therefore one is accepted in its own field only.
  expect(clabes.some(text => hasCardNumber(text))).toBe(true)
})

test.each([
  '2026-11-21T22:36:08.123459+06:00',
  '2026-11-21 22:36:08,123459+06:00 2026-11-21T22:36:08.123459+06:00',
  '30/01/2026 10:00:07',
  '30.01.2026 10:00:07, 30/01/2026 10:00',
])('the digits of a time that pass the check of a card number are none: %s', time => {
  expect(hasCardNumber(time)).toBe(false)
})

test('UUIDs are no card numbers', () => {
  // Of their digits, 4000-4444-8444-4445, 4242-4242-4242-9241 and 41234567-1234-4124 would be card numbers.
  const uuids = [
    'aaaaaaaa-4000-4444-8444-4445aaaaaaaa',
    'AAAA4242-4242-4242-9241-AAAAAAAAAAAA',
    'order-41234567-1234-4124-8123-aaaaaaaaaaaa',
    'order_aaaaaaaa-4000-4444-8444-4445aaaaaaaa',
    'aaaaaaaa-4000-4444-8444-4445aaaaaaaa_refund',
  ]
  for (let i = 0; i < 100_000; i++) uuids.push(crypto.randomUUID())
  expect(uuids.filter(uuid => hasCardNumber(uuid))).toEqual([])
  expect(uuids.filter(uuid => maskCardNumbers(uuid) !== uuid)).toEqual([])
})

test.each([
  ['a date', '2026-11-21 100005ab-4000-4444-8444-4445aaaaaaaa'],
  ['a dash and digits', 'aaaaaaaa-4000-4444-8444-683319250718-51427-a'],
])('the digits of a UUID beside %s are no card number', (_what, text) => {
  expect(hasCardNumber(text)).toBe(false)
})

test.each([
  ['tabs', String.raw`2026-11-21 10:00:00,4242\t4242\t4242\t4242`],
  ['full-width digits', '2026-11-21 10:00:00,4242４２４２４２４２４２４２'],
])('maskCardNumbers masks a card number with %s after a time and a comma', (_what, text) => {
  expect(maskCardNumbers(text, 'json')).toBe('2026-11-21 10:00:00,[card]')
})

test.each([
  '4000-4444-8444-4445',
  '42424242-4242-4242-4242-424242424242',
  'aaaaaaaa-4000-4444-8444-4445aaaaaaaab',
  '4242424242424242 01890a5d-ac96-774b-bcce-b302099a8057',
])('a card number in something like a UUID, or before one, is found in %p', text => {
  expect(hasCardNumber(text)).toBe(true)
})

test('maskCardNumbers masks every card number and keeps the other text', () => {
  expect(maskCardNumbers('a 4242424242424242, b 378282246310005.')).toBe('a [card], b [card].')
})

test.each([
  ['ligatures and composed characters', 'ﬁ é é ½ Å 4242 4242 4242 4242 ﷺ ½', 'ﬁ é é ½ Å [card] ﷺ ½'],
  ['full-width letters', 'ＡＢ４２４２－４２４２－４２４２－４２４２ＣＤ', 'ＡＢ[card]ＣＤ'],
  ['emoji', '💳💳4242424242424242💳😀', '💳💳[card]💳😀'],
  ['half surrogate pairs', '\ud83d4242424242424242\udc00', '\ud83d[card]\udc00'],
  ['an expiry', 'n 42424242424242421228 x', 'n [card]1228 x'],
  ['a UUID', 'aaaaaaaa-4000-4444-8444-4445aaaaaaaa 4242-4242-4242-4242', 'aaaaaaaa-4000-4444-8444-4445aaaaaaaa [card]'],
  // 5108 4242 4242 4242 would be a card number.
  [
    'the end of a UUID',
    'aaaaaaaa-4000-4444-8444-aaaaaaaa5108 4242-4242-4242-4242',
    'aaaaaaaa-4000-4444-8444-aaaaaaaa5108 [card]',
  ],
  ['the end of a time', '2026-11-21 22:51:08 4242 4242 4242 4242', '2026-11-21 22:51:08 [card]'],
  ['a time before a comma', '2026-11-21 10:00:00,4242 4242 4242 4242', '2026-11-21 10:00:00,[card]'],
  ['a time before a dash', '2026-11-21T10:00:00-4242-4242-4242-4242', '2026-11-21T10:00:00-[card]'],
  ['a time', '2026-11-21 22:21:48.123456+06:00 4242424242424242', '2026-11-21 22:21:48.123456+06:00 [card]'],
])('maskCardNumbers keeps %s as they are', (_what, text, masked) => {
  expect(maskCardNumbers(text)).toBe(masked)
})

test('maskCardNumbers keeps the escapes around a card number in JSON', () => {
  const json = String.raw`"\u00004242\t4242\t4242\t4242\u0000\n"`
  expect(maskCardNumbers(json, 'json')).toBe(String.raw`"\u0000[card]\u0000\n"`)
})

test('card numbers are found everywhere in a run of digits that is longer than any buffer', () => {
  for (let before = 990; before < 1_060; before++) {
    const text = `${'0-'.repeat(before)}4242-4242-4242-4242`
    expect(maskCardNumbers(text)).toBe(`${'0-'.repeat(before)}[card]`)
    expect(hasCardNumber(`${text}-${'0-'.repeat(1_000)}`)).toBe(true)
    expect(hasCardNumber(`${'0-'.repeat(before)}42424242424242421228`)).toBe(true)
  }
})

test('maskStart reads only the start of a text and never returns a part of a card number', () => {
  expect(maskStart('a 4242424242424242 b', 10)).toBe('a [card] b')
  expect(maskStart('x'.repeat(10_000), 100)).toBe('x'.repeat(100))
  for (const card of ['4242424242424242 ', '4-2-4-2-4-2-4-2-4-2-4-2-4-2-4-2 ', 'x4242.4242.4242.4242']) {
    for (let before = 0; before < 700; before += 7) {
      expect(maskStart('x'.repeat(before) + card.repeat(500), 600)).not.toMatch(/\d/)
    }
  }
})

test('maskStart reads on if what it masked has become short', () => {
  expect(maskStart('4242424242424242 '.repeat(1_000), 256)).toBe('[card] '.repeat(100).slice(0, 256))
  expect(maskStart(`a ${'4242424242424242 '.repeat(46)}`, 256)).toBe(`a ${'[card] '.repeat(46)}`.slice(0, 256))
})

test('maskStart passes no more of a text to the mask than it may need', () => {
  let length = 0
  maskStart('6-'.repeat(100_000), 1_000, text => {
    length = text.length
    return text
  })
  expect(length).toBeLessThan(2_000)
})

test('maskStart does not divide a surrogate pair', () => {
  expect(maskStart('💳💳', 3)).toBe('💳')
})

test('the Luhn check detects one changed digit', () => {
  expect(passesLuhn('4242424242424242')).toBe(true)
  for (let at = 0; at < 16; at++) {
    const changed = [...'4242424242424242']
    changed[at] = String((Number(changed[at]) + 1) % 10)
    expect(passesLuhn(changed.join(''))).toBe(false)
  }
})
