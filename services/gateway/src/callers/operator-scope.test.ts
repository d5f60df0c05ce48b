import { newId } from '@cobro/contracts'
import { operatorScope, scopeCovers } from './operator-scope.ts'

const [a, b] = [newId('mrc'), newId('mrc')]
const operator = { kind: 'operator', id: newId('usr') } as const

test('the scope of an operator is its own merchants or the one that it selects', () => {
  expect(operatorScope({ ...operator, merchants: 'all' })).toBe('all')
  expect(operatorScope({ ...operator, merchants: [a, b] })).toEqual([a, b])
  expect(operatorScope({ ...operator, merchants: 'all', merchant_id: a })).toEqual([a])
})

test('denies a scope to callers other than operators', () => {
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
] as const)('whether the scope %j covers %j: %p', (scope, wanted, answer) => {
  expect(scopeCovers(scope, wanted)).toBe(answer)
})
