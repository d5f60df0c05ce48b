import { addressBucket, addressBuckets, addressGroup } from './address-group.ts'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  [null, 'unknown'],
])('the address %s counts as %s', (address, group) => {
  expect(addressGroup(address)).toBe(group)
})

test('addresses of one network always use the same rate limit bucket', () => {
  expect(addressBucket('2001:db8:1:2::1')).toBe(addressBucket('2001:db8:1:2:3:4:5:6'))
  expect(addressBucket('203.0.113.7')).toBe(addressBucket('::ffff:203.0.113.7'))
})

test('distributes addresses over a fixed number of buckets with few collisions', () => {
  const buckets = Array.from({ length: 1_000 }, (_, i) => Number(addressBucket(`2001:db8:${i.toString(16)}::1`)))
  expect(buckets.every(bucket => bucket >= 0 && bucket < addressBuckets)).toBe(true)
  expect(new Set(buckets).size).toBeGreaterThan(950)
})
