import { roomOf } from './merchant-share.ts'

test.each([
  ['one alone takes half', 500, 0, 250],
  ['and no more than that', 250, 250, 0],
  ['the next takes half of the rest', 250, 0, 125],
  ['what others have given back is shared too', 400, 100, 150],
  ['the last place is for whoever has nothing in flight', 1, 0, 1],
  ['and for nobody else', 1, 1, 0],
  ['a full house is full', 0, 0, 0],
])('%s: of %d free, with %d of its own, %d more', (_what, free, own, more) => {
  expect(roomOf(free, own)).toBe(more)
})
