import { disputeStatuses } from '@cobro/contracts'
import { mayMoveDispute, newsOfDispute } from './dispute-states.ts'

const pairs = disputeStatuses.flatMap(from => disputeStatuses.map(to => [from, to] as const))
const those = (may: (from: never, to: never) => boolean) =>
  pairs.filter(([from, to]) => may(from as never, to as never)).map(([from, to]) => `${from} → ${to}`)

test('a dispute may be looked into and then ends, once', () => {
  expect(those(mayMoveDispute)).toEqual([
    ...['open → under_review', 'open → won', 'open → lost', 'open → accepted', 'open → expired'],
    ...['under_review → won', 'under_review → lost', 'under_review → accepted', 'under_review → expired'],
  ])
})

test('the acquirer may besides tell that a dispute ended otherwise after all', () => {
  const more = those(newsOfDispute).filter(pair => !those(mayMoveDispute).includes(pair))
  expect(more).toEqual([
    ...['won → lost', 'won → accepted', 'won → expired'],
    ...['lost → won', 'accepted → won', 'expired → won'],
  ])
  expect(those(mayMoveDispute).filter(pair => !those(newsOfDispute).includes(pair))).toEqual([])
})
