import { transactionStatuses } from '@cobro/contracts'
import { transactionStep } from './transaction-states.ts'

const allowed: Record<string, string> = {
  'pending approve': 'approved payment.approved',
  'pending decline': 'declined payment.declined',
  'pending fail': 'failed payment.failed',
  'pending expire': 'expired',
  'pending cancel': 'cancelled',
}

for (const status of transactionStatuses) {
  for (const move of ['approve', 'decline', 'fail', 'expire', 'cancel'] as const) {
    const expected = allowed[`${status} ${move}`]
    test(`${move} from ${status} ${expected ? `leads to ${expected}` : 'may not happen'}`, () => {
      const step = transactionStep(status, move)
      expect(step && [step.to, ...step.emits].join(' ')).toBe(expected)
    })
  }
}
