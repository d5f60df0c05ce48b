import { openSendBudget } from './send-budget.ts'

test('counts the requests of each merchant in the current second', () => {
  let now = 0
  const budget = openSendBudget(10, () => now)
  for (const merchant of ['a', 'b', 'a']) budget.spend(merchant)
  now = 999
  expect([...budget.spent()]).toEqual([
    ['a', 2],
    ['b', 1],
  ])
  now = 1_000
  expect([...budget.spent()]).toEqual([])
  budget.spend('b')
  expect([...budget.spent()]).toEqual([['b', 1]])
})
