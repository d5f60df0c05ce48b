import { disputeStatuses } from '@cobro/contracts'
import { disputeTransition, stageOf } from './dispute-states.ts'

const byAnyone = new Set([
  ...['open under_review', 'open won', 'open lost', 'open accepted', 'open expired'],
  ...['under_review won', 'under_review lost', 'under_review accepted', 'under_review expired'],
])
const byAcquirer = new Set([
  ...['won lost', 'won accepted', 'won expired'],
  ...['lost won', 'accepted won', 'expired won'],
])

for (const from of disputeStatuses) {
  for (const to of disputeStatuses) {
    const pair = `${from} ${to}`
    const who = byAnyone.has(pair) ? 'anyone' : byAcquirer.has(pair) ? 'the acquirer alone' : 'no one'
    test(`${who} may change a dispute from ${from} to ${to}`, () => {
      const emits = who === 'no one' ? undefined : [`dispute.${to}`]
      expect(disputeTransition(from, to, 'acquirer')?.emits).toEqual(emits)
      expect(disputeTransition(from, to, 'caller')?.emits).toEqual(who === 'anyone' ? emits : undefined)
    })
  }
}

test('the amount of a dispute is held while it is open, returned if it is won, and lost otherwise', () => {
  expect(disputeStatuses.map(status => `${status} ${stageOf[status]}`).toSorted()).toEqual([
    'accepted lost',
    'expired lost',
    'lost lost',
    'open held',
    'under_review held',
    'won returned',
  ])
})
