import { sessionStatuses } from '@cobro/contracts'
import { sessionSteps } from './session-states.ts'

const allowed: Record<string, string> = {
  'pending complete': 'completed Approved: checkout_session.completed',
  'pending expire':
    'expired Expired: payment.expired payment.failed checkout_session.expired checkout_session.completed',
  'pending cancel': 'cancelled Cancelled: payment.cancelled checkout_session.cancelled checkout_session.completed',
}

for (const status of sessionStatuses) {
  for (const transition of ['complete', 'expire', 'cancel'] as const) {
    const expected = allowed[`${status} ${transition}`]
    const outcome = expected ? `leads to ${expected}` : 'is not allowed'
    test(`${transition} of a session that is ${status} ${outcome}`, () => {
      const step = sessionSteps[status][transition]
      expect(step && `${step.to} ${step.transaction_status}: ${step.emits.join(' ')}`).toBe(expected)
    })
  }
}
