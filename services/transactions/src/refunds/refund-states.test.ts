import {
  type RefundReport,
  refundEvent,
  refundEvents,
  refundState,
  refundStates,
  refundTransition,
} from './refund-states.ts'

/** Every other event is ignored. */
const expected: Record<string, string> = {
  'requested unknown': 'requested check',
  'requested not_taken': 'requested request_again',
  'requested completed': 'completed',
  'requested refused': 'failed payment.refund_failed',
  'requested technical_failure': 'failed payment.refund_failed',
  'requested reversed': 'failed new_refund',
  'owed unknown': 'owed check',
  'owed not_taken': 'owed request_again',
  'owed completed': 'completed',
  'owed refused': 'manual',
  'owed technical_failure': 'failed payment.refund_failed new_refund',
  'owed reversed': 'failed new_refund',
  'manual completed': 'completed',
  'completed not_taken': 'contradiction',
  'completed refused': 'contradiction',
  'completed technical_failure': 'contradiction',
  'completed reversed': 'contradiction',
  'failed completed': 'completed',
}

for (const state of refundStates) {
  for (const event of refundEvents) {
    const result = expected[`${state} ${event}`] ?? 'ignore'
    test(`the event ${event} on a refund that is ${state} leads to ${result}`, () => {
      const found = refundTransition(state, event)
      const text =
        typeof found === 'string' ? found : [found.to, ...found.emits, found.follow_up ?? ''].join(' ').trim()
      expect(text).toBe(result)
    })
  }
}

test('the state of a refund follows from its status, and from who has to return the money', () => {
  const stateOf = (status: 'processing' | 'completed' | 'failed', owed: boolean, by_hand: boolean) =>
    refundState({ status, owed, by_hand })
  expect([stateOf('processing', false, false), stateOf('processing', true, false)]).toEqual(['requested', 'owed'])
  expect([stateOf('processing', true, true), stateOf('completed', true, false)]).toEqual(['manual', 'completed'])
  expect(stateOf('failed', false, false)).toBe('failed')
})

test.each<[string, RefundReport]>([
  ['unknown', { status: 'processing', acquirer_reference: 'rf_1' }],
  ['unknown', { status: 'not_found' }],
  ['not_taken', { status: 'failed', acquirer_reference: null }],
  ['refused', { status: 'failed', acquirer_reference: null, failure_reason: 'refused' }],
  ['refused', { status: 'failed', acquirer_reference: 'rf_1', failure_reason: 'unsupported' }],
  ['technical_failure', { status: 'failed', acquirer_reference: 'rf_1' }],
  ['completed', { status: 'completed', acquirer_reference: 'rf_1' }],
  ['reversed', { status: 'reversed' }],
])('the refund event is %s when the acquirer reports %j', (event, report) => {
  expect(refundEvent(report)).toBe(event)
})
