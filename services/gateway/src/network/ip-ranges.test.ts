import { isInRanges, parseIpRange } from './ip-ranges.ts'

const within = (cidrs: string[], address: string) => isInRanges(cidrs.map(parseIpRange), address)

test.each([
  ['10.0.0.0/8', '10.255.0.1', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['203.0.113.7/32', '203.0.113.7', true],
  ['203.0.113.7/32', '203.0.113.8', false],
  ['203.0.113.7/24', '203.0.113.200', true],
  ['0.0.0.0/0', '198.51.100.1', true],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['2001:db8::/32', '2001:db8:ffff::1', true],
  ['2001:db8::/32', '2001:db9::1', false],
  ['::/0', '2001:db8::1', true],
  ['::/0', '198.51.100.1', false],
  ['::ffff:10.0.0.0/104', '10.1.2.3', true],
  ['::ffff:10.0.0.0/104', '11.1.2.3', false],
  ['::ffff:0:0/96', '11.1.2.3', true],
])('whether the range %s contains %s: %p', (cidr, address, expected) => {
  expect(within([cidr], address)).toBe(expected)
})

test('an address needs to match one of several ranges, and matches none of no ranges', () => {
  expect(within(['10.0.0.0/8', '2001:db8::/32'], '2001:db8::1')).toBe(true)
  expect(within([], '10.0.0.1')).toBe(false)
})
