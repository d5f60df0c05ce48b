import { newId } from '@cobro/contracts'
import { recordedPath, targetIdOf } from './recorded-path.ts'

const session = newId('cs')
const terminal = newId('trm')

test.each([
  ['/health', '/health'],
  ['/api/transactions?search=secret', '/api/transactions'],
  ['/a#b', '/a'],
  ['/pay/4242424242424242', '/pay/[card]'],
  ['/pay/4242%204242%204242%204242/x', '/pay/[card]/x'],
  ['/pay/%34242424242424242', '/pay/[card]'],
  ['/bad%escape', '/bad%escape'],
  ['*', '*'],
])('records %s as %s', (target, expected) => {
  expect(recordedPath(target)).toBe(expected)
})

test('cuts a path that nobody reads', () => {
  expect(recordedPath(`/${'a'.repeat(10_000)}`)).toHaveLength(1_024)
})

test.each([
  [`/checkout/v1/sessions/${session}`, session],
  [`/hosted/v1/checkout/${session}/payments?x=1`, session],
  [`/api/terminales/${terminal}/link`, terminal],
  ['/api/terminales', null],
  ['/api/terminales/trm_short', null],
  ['/api/constructor_x', null],
  [`/api/transactions?id=${session}`, null],
])('the target of %s is %s', (target, expected) => {
  expect(targetIdOf(target)).toBe(expected)
})
