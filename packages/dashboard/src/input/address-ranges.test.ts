import { rangesOf } from './address-ranges.ts'

test.each<[string, string[] | null]>([
  ['', null],
  [' , ', null],
  ['203.0.113.0/24', ['203.0.113.0/24']],
  ['203.0.113.7, 2001:db8::1', ['203.0.113.7/32', '2001:db8::1/128']],
  ['203.0.113.7/32\n2001:db8::/48', ['203.0.113.7/32', '2001:db8::/48']],
])('%j as address ranges', (text, ranges) => {
  expect(rangesOf(text)).toEqual(ranges)
})
