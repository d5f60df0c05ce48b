import { metadataPath, metadataTerms, metadataText } from './metadata-terms.ts'

test('metadataTerms returns every scalar as path and text', () => {
  const metadata = { a: 5, b: '5', c: true, d: null, e: { f: { g: 1.5 } }, h: 1e21, i: 'x=y' }
  expect(metadataTerms(metadata)).toEqual(['a=5', 'b=5', 'c=true', 'd=null', 'e.f.g=1.5', 'h=1e+21', 'i=x=y'])
})

test('metadataTerms skips fields that no query can name', () => {
  const deep = { a: { b: { c: { d: { e: { f: 1 } } } } } }
  expect(metadataTerms({ ...deep, 'a.b': 1, 'c d': 2, constructor: 3, list: [1], long: 'x'.repeat(201) })).toEqual([])
  expect(metadataTerms(null)).toEqual([])
})

test.each(['a', 'a.b-c._d.E.5'])('%s is a valid metadata path', path => {
  expect(metadataPath.safeParse(path).success).toBe(true)
})

test.each(['', '.', 'a.', 'a..b', 'a b', "a'", 'a.b.c.d.e.f', '__proto__', 'a.constructor', 'prototype.a', 'á'])(
  '%p is not a valid metadata path',
  path => {
    expect(metadataPath.safeParse(path).success).toBe(false)
  },
)

test.each(['a\0b', '\ud800', 'x'.repeat(201)])('%j is not a valid metadata value', text => {
  expect(metadataText.safeParse(text).success).toBe(false)
})
