import { hasCardNumber, maskCardNumbers, passesLuhn } from './card-numbers.ts'

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

test('UUIDs are no card numbers', () => {
  // Of its digits, 4000-4444-4444-4448 would be a card number.
  const uuids = ['aaaaaaaa-4000-4444-8444-4448aaaaaaaa', 'AAAA4242-4242-4242-9242-AAAAAAAAAAAA']
  for (let i = 0; i < 100_000; i++) uuids.push(crypto.randomUUID())
  expect(uuids.filter(hasCardNumber)).toEqual([])
  expect(uuids.filter(uuid => maskCardNumbers(uuid) !== uuid)).toEqual([])
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

test('the Luhn check detects one changed digit', () => {
  expect(passesLuhn('4242424242424242')).toBe(true)
  for (let at = 0; at < 16; at++) {
    const changed = [...'4242424242424242']
    changed[at] = String((Number(changed[at]) + 1) % 10)
    expect(passesLuhn(changed.join(''))).toBe(false)
  }
})

/**
 * Returns the least CPU time of several rounds, so that other threads, other processes and
 * compilation do not count.
 */
function leastCpuTime(work: () => unknown): number {
  const times = Array.from({ length: 7 }, () => {
    const start = threadTime()
    work()
    return threadTime() - start
  })
  return Math.min(...times)
}

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

test('hasCardNumber and maskCardNumbers take linear time on long texts, also with many card numbers', () => {
  const digits = '1 '.repeat(130_000)
  const numbers = Array(8_000).fill('4242424242424242').join(' ')
  expect(hasCardNumber(digits)).toBe(false)
  expect(maskCardNumbers(numbers).replaceAll('[card]', '').trim()).toBe('')
  for (const [search, text] of [
    [hasCardNumber, digits],
    [maskCardNumbers, numbers],
  ] as const) {
    const part = text.slice(0, text.length / 4)
    const quarter = part.slice(0, part.length / 4)
    // About 4 if the time is linear, about 16 if it is quadratic.
    expect(leastCpuTime(() => search(part)) / leastCpuTime(() => search(quarter))).toBeLessThan(10)
  }
})
