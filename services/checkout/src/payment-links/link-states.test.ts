import { linkStatuses } from '@cobro/contracts'
import { linkStep } from './link-states.ts'

const allowed: Record<string, string> = {
  'active complete': 'paid: payment_link.paid',
  'active expire': 'expired: payment.expired payment.failed payment_link.expired',
  'active cancel': 'cancelled: payment.cancelled payment_link.cancelled',
}

for (const status of linkStatuses) {
  for (const move of ['complete', 'expire', 'cancel'] as const) {
    const expected = allowed[`${status} ${move}`]
    test(`${move} from ${status} ${expected ? `leads to ${expected}` : 'may not happen'}`, () => {
      const step = linkStep(status, move)
      expect(step && `${step.to}: ${step.emits.join(' ')}`).toBe(expected)
    })
  }
}
