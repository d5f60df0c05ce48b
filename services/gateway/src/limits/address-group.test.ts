import { addressGroup } from './address-group.ts'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  [null, 'unknown'],
])('%s counts as %s', (address, group) => {
  expect(addressGroup(address)).toBe(group)
})
