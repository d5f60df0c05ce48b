import { newId } from '@cobro/contracts'
import { operatorScope, scopeCovers } from './operator-scope.ts'

const [a, b] = [newId('mrc'), newId('mrc')]
const operator = { kind: 'operator', id: newId('usr') } as const

test('an operator acts for its own merchants, or for the one that it states', () => {
  expect(operatorScope({ ...operator, merchants: 'all' })).toBe('all')
  expect(operatorScope({ ...operator, merchants: [a, b] })).toEqual([a, b])
  expect(operatorScope({ ...operator, merchants: 'all', merchant_id: a })).toEqual([a])
})

test('nobody else has a scope', () => {
  expect(() => operatorScope({ kind: 'payer' })).toThrow('forbidden')
})

test.each([
  ['all', 'all', true],
  ['all', [a], true],
  [[a, b], [b], true],
  [[a, b], [b, a], true],
  [[a], [a, b], false],
  [[a], [b], false],
  [[a], 'all', false],
  [[], 'all', false],
  [[], [a], false],
] as const)('%j scopeCovers %j: %p', (scope, wanted, answer) => {
  expect(scopeCovers(scope, wanted)).toBe(answer)
})
