import { sessionStatuses } from '@cobro/contracts'
import { sessionStep } from './session-states.ts'

const allowed: Record<string, string> = {
  'pending complete': 'completed: checkout_session.completed',
  'pending expire': 'expired: payment.expired payment.failed checkout_session.expired checkout_session.completed',
  'pending cancel': 'cancelled: payment.cancelled checkout_session.cancelled checkout_session.completed',
}

for (const status of sessionStatuses) {
  for (const move of ['complete', 'expire', 'cancel'] as const) {
    const expected = allowed[`${status} ${move}`]
    test(`${move} from ${status} ${expected ? `leads to ${expected}` : 'may not happen'}`, () => {
      const step = sessionStep(status, move)
      expect(step && `${step.to}: ${step.emits.join(' ')}`).toBe(expected)
    })
  }
}
