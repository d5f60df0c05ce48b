import { openSendBudget } from './send-budget.ts'

test('counts the requests of each merchant in the current second', () => {
  let now = 0
  const budget = openSendBudget(10, () => now)
  for (const merchant of ['a', 'b', 'a']) budget.spend(merchant, 'endpoint')
  now = 999
  expect(budget.leftMs()).toBe(1)
  expect([...budget.spent()]).toEqual([
    ['a', 2],
    ['b', 1],
  ])
  now = 1_000
  expect([...budget.spent()]).toEqual([])
  budget.spend('b', 'endpoint')
  expect([...budget.spent()]).toEqual([['b', 1]])
})

test('a budget is spent until the next second, for the endpoints of its merchant only', () => {
  let now = 0
  const budget = openSendBudget(2, () => now)
  budget.spend('a', 'a1')
  budget.spend('b', 'b1')
  expect(budget.isSpentFor('a1')).toBe(false)
  budget.spend('a', 'a2')
  expect(['a1', 'a2', 'b1', 'other'].map(budget.isSpentFor)).toEqual([true, true, false, false])
  now = 1_000
  expect([budget.isSpentFor('a1'), budget.leftMs()]).toEqual([false, 1_000])
})
