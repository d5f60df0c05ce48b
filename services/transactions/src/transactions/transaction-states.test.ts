import { transactionStatuses } from '@cobro/contracts'
import { type TransactionAction, transactionTransition } from './transaction-states.ts'

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

const actions: Record<TransactionAction, true> = {
  ...{ approve: true, decline: true, fail: true, expire: true, cancel: true },
  ...{ refund: true, dispute: true, win: true, win_refunded: true },
}

for (const status of transactionStatuses) {
  for (const action of Object.keys(actions) as TransactionAction[]) {
    const expected = allowed[`${status} ${action}`]
    test(`the action ${action} on a transaction that is ${status} ${expected ? `leads to ${expected}` : 'is not allowed'}`, () => {
      const transition = transactionTransition(status, action)
      expect(transition && [transition.to, ...transition.emits].join(' ')).toBe(expected)
    })
  }
}
