import { hasWords } from './words.ts'

test.each([
  ['Payment links', 'lin', true],
  ['Payment links', 'LINKS pay', true],
  ['Payment links', 'inks', false],
  ['Payment links', 'links txn_01', false],
  ['Sesión de caja', 'sesion', true],
  ['Payments', 'ana@example.com', false],
  ['Payments', ' ', true],
  ['Payments', '--', false],
])('%j has the words of %j: %j', (title, text, has) => {
  expect(hasWords(title, text)).toBe(has)
})
