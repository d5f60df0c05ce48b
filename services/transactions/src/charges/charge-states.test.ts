import { transactionStatuses } from '@cobro/contracts'
import { type ChargeReport, chargeEffect } from './charge-states.ts'

const reports: Record<ChargeReport['status'], true> = {
  ...{ approved: true, declined: true, failed: true, reversed: true, processing: true, not_found: true },
}

/** All others contradict a transaction with money, and change nothing of one without. */
const expected: Record<string, string> = {
  'pending approved': 'approve',
  'pending declined': 'decline',
  'pending failed': 'fail',
  'pending reversed': 'fail',
  'pending processing': 'check_again',
  'pending not_found': 'check_again',
  'approved approved': 'none',
  'refunded approved': 'none',
  'chargeback approved': 'none',
  'declined approved': 'late_payment',
  'failed approved': 'late_payment',
  'expired approved': 'late_payment',
  'cancelled approved': 'late_payment',
}

for (const status of transactionStatuses) {
  for (const report of Object.keys(reports) as ChargeReport['status'][]) {
    const unknown = report === 'processing' || report === 'not_found'
    const hasMoney = ['approved', 'refunded', 'chargeback'].includes(status)
    const effect = expected[`${status} ${report}`] ?? (hasMoney && !unknown ? 'contradiction' : 'none')
    test(`a charge that the acquirer reports as ${report} has the effect ${effect} on a transaction that is ${status}`, () => {
      expect(chargeEffect(status, report)).toBe(effect)
    })
  }
}
