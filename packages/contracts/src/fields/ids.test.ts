import { idPrefixes, idTimeMs, isId, lowestId, newId, siblingId } from './ids.ts'

test('an id is its prefix and 26 characters of lower-case Crockford base32', () => {
  for (const prefix of Object.keys(idPrefixes) as (keyof typeof idPrefixes)[]) {
    const id = newId(prefix)
    expect(id).toMatch(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`))
    expect(isId(prefix, id)).toBe(true)
  }
})

test('ids sort by their time', () => {
  const times = [0, 1, 31, 32, 1_700_000_000_000, 1_700_000_000_001, 2 ** 48 - 1]
  const ids = times.map(at => newId('txn', at))
  expect([...ids].sort()).toEqual(ids)
})

test('ids made in the same millisecond differ', () => {
  expect(new Set(Array.from({ length: 1000 }, () => newId('evt', 5))).size).toBe(1000)
})

test.each([
  undefined,
  7,
  '',
  'txn_',
  'txn_01',
  'cs_01jd0000000000000000000000',
  'txn_01JD0000000000000000000000',
  'txn_81jd0000000000000000000000',
  'txn_01jd000000000000000000000i',
  'txn_01jd0000000000000000000000\n',
])('isId rejects %p as a transaction id', value => {
  expect(isId('txn', value)).toBe(false)
})

test('siblingId keeps the time and randomness of an id', () => {
  const request = newId('req')
  expect(siblingId('evt', request).slice(4)).toBe(request.slice(4))
})

test('idTimeMs returns the time of an id, and lowestId is a lower bound for ids of a time', () => {
  for (const at of [1, 31, 32, 1_700_000_000_000, 2 ** 48 - 1]) {
    expect(idTimeMs(newId('evt', at))).toBe(at)
    expect(isId('evt', lowestId('evt', at))).toBe(true)
    expect(newId('evt', at - 1) < lowestId('evt', at) && lowestId('evt', at) <= newId('evt', at)).toBe(true)
  }
})
