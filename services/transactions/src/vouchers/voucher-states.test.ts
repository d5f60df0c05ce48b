import { transactionStatuses } from '@cobro/contracts'
import type { TransactionRow } from '../transactions/transaction-entity.ts'
import { type VoucherReport, voucherEffect, voucherState, voucherStates } from './voucher-states.ts'

const reports: Record<VoucherReport['status'], true> = {
  ...{ pending: true, paid: true, expired: true, withdrawn: true },
  ...{ processing: true, failed: true, not_found: true, reversed: true },
}

const expected: Record<string, string> = {
  'requested pending': 'issue',
  'requested paid': 'approve',
  'requested expired': 'expire',
  'requested withdrawn': 'fail',
  'requested processing': 'check_again',
  'requested failed': 'fail',
  'requested not_found': 'check_again',
  'requested reversed': 'fail',
  'issued pending': 'keep',
  'issued paid': 'approve',
  'issued expired': 'expire',
  'issued withdrawn': 'cancel',
  'issued processing': 'check_again',
  'issued failed': 'fail',
  'issued not_found': 'check_again',
  'issued reversed': 'fail',
  'paid pending': 'await_withdrawal',
  'paid processing': 'await_withdrawal',
  'paid not_found': 'await_withdrawal',
  'ended pending': 'await_withdrawal',
  'ended processing': 'await_withdrawal',
  'ended not_found': 'await_withdrawal',
  'ended paid': 'late_payment',
}

for (const state of voucherStates) {
  for (const report of Object.keys(reports) as VoucherReport['status'][]) {
    const effect = expected[`${state} ${report}`] ?? 'stop_checks'
    test(`a voucher that is ${state} and that the acquirer reports as ${report} has the effect ${effect}`, () => {
      expect(voucherEffect(state, report)).toBe(effect)
    })
  }
}

test('the state of a voucher follows from the status, the capture and the issue of its transaction', () => {
  const captured_at = new Date()
  const stateOf = (
    status: (typeof transactionStatuses)[number],
    settled_event_id: TransactionRow['settled_event_id'],
    captured = false,
  ) => voucherState({ status, settled_event_id, captured_at: captured ? captured_at : null })
  expect([stateOf('pending', null), stateOf('pending', 'evt_1')]).toEqual(['requested', 'issued'])
  for (const status of transactionStatuses.filter(one => one !== 'pending')) {
    expect([stateOf(status, 'evt_1', true), stateOf(status, 'evt_1')]).toEqual(['paid', 'ended'])
  }
})
