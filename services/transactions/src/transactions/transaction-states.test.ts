import { transactionStatuses } from '@cobro/contracts'
import { type TransactionMove, transactionStep } from './transaction-states.ts'

const allowed: Record<string, string> = {
  'pending approve': 'approved payment.approved',
  'pending decline': 'declined payment.declined',
  'pending fail': 'failed payment.failed',
  'pending expire': 'expired',
  'pending cancel': 'cancelled',
  'approved refund': 'refunded payment.refunded',
  'approved dispute': 'chargeback payment.chargeback',
  'chargeback refund': 'chargeback payment.refunded',
  'chargeback dispute': 'chargeback payment.chargeback',
  'chargeback win': 'approved',
  'chargeback win_refunded': 'refunded',
  'refunded dispute': 'refunded payment.chargeback',
  'refunded win_refunded': 'refunded',
}

const moves: Record<TransactionMove, true> = {
  ...{ approve: true, decline: true, fail: true, expire: true, cancel: true },
  ...{ refund: true, dispute: true, win: true, win_refunded: true },
}

for (const status of transactionStatuses) {
  for (const move of Object.keys(moves) as TransactionMove[]) {
    const expected = allowed[`${status} ${move}`]
    test(`${move} from ${status} ${expected ? `leads to ${expected}` : 'may not happen'}`, () => {
      const step = transactionStep(status, move)
      expect(step && [step.to, ...step.emits].join(' ')).toBe(expected)
    })
  }
}
