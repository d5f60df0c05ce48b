import { linkStatuses } from '@cobro/contracts'
import { linkSteps } from './link-states.ts'

const allowed: Record<string, string> = {
  'active complete': 'paid: payment_link.paid',
  'active expire': 'expired: payment.expired payment.failed payment_link.expired',
  'active cancel': 'cancelled: payment.cancelled payment_link.cancelled',
}

for (const status of linkStatuses) {
  for (const transition of ['complete', 'expire', 'cancel'] as const) {
    const expected = allowed[`${status} ${transition}`]
    const outcome = expected ? `leads to ${expected}` : 'is not allowed'
    test(`${transition} of a link that is ${status} ${outcome}`, () => {
      const step = linkSteps[status][transition]
      expect(step && `${step.to}: ${step.emits.join(' ')}`).toBe(expected)
    })
  }
}
