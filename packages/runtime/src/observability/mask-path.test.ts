import { maskCardNumbers } from '@cobro/contracts'
import { timeGrowth } from '@cobro/testing/time-growth'
import { maskPath } from './mask-path.ts'

const mask = (text: string) => text.replace(/4242 4242|key_\w+/g, '[secret]')

test.each([
  ['/a/b', '/a/b'],
  ['/a/%C3%A9%20b', '/a/%C3%A9%20b'],
  ['/a/4242%204242', '/a/[secret]'],
  ['/a/4242%204242/%C3%A9', '/a/[secret]/%C3%A9'],
  ['/a/4242%25204242', '/a/[secret]'],
  ['/a/4242%2525204242', '/a/[secret]'],
  ['/%/%34242%204242', '/%/[secret]'],
  ['/a/%ff%34242%204242', '/a/%ff[secret]'],
  ['/a/%/key%5Fab', '/a/%/[secret]'],
  ['/a/%c3/%6Bey%5fab/%zz', '/a/%c3/[secret]/%zz'],
  ['/%00/key%5Fab', '/%00/[secret]'],
  ['/a%C3%A9%0a/key%5Fab', '/a%C3%A9%0A/[secret]'],
  ['/a/4242%C2%A04242', '/a/4242%C2%A04242'],
  ['/%e0%80%80/key%5Fab', '/%e0%80%80/[secret]'],
  ['/%ff/key_ab', '/%ff/[secret]'],
])('the path %s is masked as %s', (path, expected) => {
  expect(maskPath(path, mask)).toBe(expected)
})

test.each([
  '4242%C2%A04242%C2%A04242%C2%A04242',
  '4242%094242%0A42424242',
  '4242%E2%80%934242%25E2%2580%259342424242',
  '%EF%BC%94242424242424242',
  '%F0%9D%9F%92242424242424242',
  '4242%c2%a04242%c2%a04242%c2%a04242/%ff',
])('masks the card number %s in a path', card => {
  expect(maskPath(`/pay/${card}/x`, maskCardNumbers)).toMatch(/^\/pay\/\[card\]/)
})

test.each(['%', '%25', '25%', '25', '%C2%A0', '%F0%9D%9F%92'])(
  'masking a path of repeated %s takes linear time',
  part => {
    // Repeated decoding would make it quadratic.
    expect(timeGrowth(50_000, size => maskPath(`%${part.repeat(size)}`, text => text))).toBeLessThan(10)
  },
)
