import { declineReasons } from '@cobro/contracts'
import { decline402 } from './decline-402.ts'

const hidden: string[] = ['lost_card', 'stolen_card', 'suspected_fraud']

test.each(declineReasons.filter(reason => !hidden.includes(reason)))(
  'answers a payment that is declined for %s with 402 and that reason',
  reason => {
    const { status, code } = decline402(reason)
    expect([status, code]).toEqual([402, reason])
  },
)

test.each([...hidden, 'reason_of_a_newer_release', null])(
  'answers a payment that is declined for %s with 402 and card_declined',
  reason => {
    const { status, code } = decline402(reason)
    expect([status, code]).toEqual([402, 'card_declined'])
  },
)
