import { merchantCapacity } from './merchant-share.ts'

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
