import { canonicalJson } from './canonical-json.ts'

test('canonical JSON is the same for equal values, whatever the order of their keys', () => {
  expect(canonicalJson({ b: [{ d: 1, c: null }], a: 'x' })).toBe(canonicalJson({ a: 'x', b: [{ c: null, d: 1 }] }))
  expect(canonicalJson({ b: [2, 1], a: '' })).toBe('{"a":"","b":[2,1]}')
})

test.each([
  [{ a: 1 }, { a: '1' }],
  [{ a: null }, {}],
  [
    [1, 2],
    [2, 1],
  ],
  [{ a: { b: 1 } }, { a: { b: 2 } }],
])('canonical JSON differs for %j and %j', (one, other) => {
  expect(canonicalJson(one)).not.toBe(canonicalJson(other))
})
