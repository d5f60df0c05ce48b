import {
  attemptStep,
  discardableStatuses,
  openStatuses,
  type PaymentAttemptEvent,
  type PaymentAttemptStatus,
  sqlStatuses,
  unresolvedStatuses,
} from './payment-attempt-states.ts'

const statuses = ['running', 'pending', 'approved', 'declined', 'failed', 'expired', 'cancelled'] as const
const outcomes = ['approved', 'pending', 'declined', 'failed', 'expired', 'cancelled'] as const
const events: PaymentAttemptEvent[] = [...outcomes, 'unsent', 'refused', 'card_unreadable', 'overdue']

const endings = {
  declined: 'declined, count_decline, Declined',
  failed: 'failed, stay_open, Failed',
  expired: 'expired, stay_open, Pending',
  cancelled: 'cancelled, stay_open, Pending',
}
const late = {
  ...{ pending: 'ignore', unsent: 'ignore', refused: 'ignore' },
  ...{ card_unreadable: 'ignore', overdue: 'ignore' },
}
const expected: Record<PaymentAttemptStatus, Partial<Record<PaymentAttemptEvent, string>>> = {
  running: {
    approved: 'approved, complete',
    pending: 'pending, await_cash, Pending',
    ...endings,
    unsent: 'failed, stay_open, Failed, payment.failed',
    refused: 'failed, stay_open',
    card_unreadable: 'delete',
    overdue: 'resolve',
  },
  pending: { approved: 'approved, complete_if_open', ...endings, ...late },
  approved: { approved: 'ignore', ...late },
  declined: { declined: 'ignore', ...late },
  failed: { failed: 'ignore', ...late },
  expired: { expired: 'ignore', ...late },
  cancelled: { cancelled: 'ignore', ...late },
}

for (const status of statuses) {
  for (const event of events) {
    const step = expected[status][event]
    test(`${event} of a payment attempt that is ${status} ${step ? `leads to: ${step}` : 'is a contradiction'}`, () => {
      const actual = attemptStep(status, event)
      expect(typeof actual === 'object' ? Object.values(actual).join(', ') : actual).toBe(step)
    })
  }
}

test('derives the frozen, open and discardable statuses of payment attempts from the steps', () => {
  expect([unresolvedStatuses, openStatuses, discardableStatuses]).toEqual([
    ['running'],
    ['running', 'pending'],
    ['running'],
  ])
  expect(sqlStatuses(openStatuses)).toBe("'running', 'pending'")
})
