import { claimableByMerchant, merchantCapacity } from './merchant-share.ts'

test.each([
  ['a merchant that is alone gets half', 500, 0, 250],
  ['a merchant that has half gets no more', 250, 250, 0],
  ['the second merchant gets half of the rest', 250, 0, 125],
  ['a merchant gets half of what others have returned', 400, 100, 150],
  ['a merchant with nothing in flight gets the last place', 1, 0, 1],
  ['a merchant with something in flight does not get the last place', 1, 1, 0],
  ['a merchant gets nothing when nothing is free', 0, 0, 0],
])('%s: with %d free and %d of its own, %d more', (_case, free, own, more) => {
  expect(merchantCapacity(free, own)).toBe(more)
})

test('a claim gives a merchant its share or the rest of its budget, whichever is less', () => {
  const spent = new Map([
    ['busy', 90],
    ['spent', 100],
  ])
  const inFlight = new Map([
    ['hanging', 250],
    ['spent', 10],
  ])
  const budget = { perMerchant: 100, spent: () => spent }
  const { named, others } = claimableByMerchant({ free: 240, inFlight, budget })
  expect(Object.fromEntries(named)).toEqual({ busy: 10, spent: 0, hanging: 0 })
  expect(others).toBe(100)
  expect(claimableByMerchant({ free: 10, inFlight, budget }).others).toBe(5)
})
