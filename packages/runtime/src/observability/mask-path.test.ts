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
  ['/%ff/key_ab', '/%ff/[secret]'],
])('the path %s is masked as %s', (path, expected) => {
  expect(maskPath(path, mask)).toBe(expected)
})

test.each(['%', '%25', '25%', '25'])('masking a path of repeated %s takes linear time', part => {
  // Repeated decoding would make it quadratic.
  expect(timeGrowth(50_000, size => maskPath(`%${part.repeat(size)}`, text => text))).toBeLessThan(10)
})
