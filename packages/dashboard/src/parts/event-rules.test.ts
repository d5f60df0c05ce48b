import { declineTexts } from '../text/decline-texts.ts'
import { timelineTexts } from '../text/timeline-texts.ts'
import { movedBy, noteOf, screenOfEvent, shortPath } from './event-rules.ts'

const event = { action: 'payment.approved', actor_type: 'payer', request_id: 'req_1', target_id: 'txn_1' }

test.each([
  ['an event, to its object', event, { to: '/$scope/payments/$id', needs: 'getTransaction', id: 'txn_1' }],
  ['an event of an object without a screen', { ...event, target_id: 'evt_1' }, undefined],
  ['an event without an object', { ...event, target_id: null }, undefined],
  ['an event of the object that is shown', { ...event, target_id: 'txn_0' }, undefined],
  [
    "a call of the merchant's key, to its request",
    { ...event, action: 'http.request', actor_type: 'key' },
    { to: '/$scope/requests/$id', needs: 'listRequests', id: 'req_1' },
  ],
  ["a payer's call, which is not among the merchant's", { ...event, action: 'http.request' }, undefined],
])('%s', (_case, row, screen) => {
  expect(screenOfEvent(row, 'txn_0')).toEqual(screen)
})

const money = { amount_cents: 25_000, currency: 'MXN' }
const moved = { cents: 25_000, currency: 'MXN' }

test.each([
  ['payment.approved', money, moved],
  ['payment.refunded', money, moved],
  ['dispute.opened', money, moved],
  ['dispute.won', money, moved],
  ['dispute.withdrawn', money, moved],
  ['dispute.lost', money, undefined],
  ['dispute.opened', { amount_cents: null, currency: null }, undefined],
  ['payment.chargeback', money, undefined],
  ['payment.attempted', money, undefined],
])('%s with %j moved %j', (action, amount, expected) => {
  expect(movedBy({ action, ...amount })).toEqual(expected)
})

test.each([
  ['payment.declined', { decline_reason: 'insufficient_funds' }, 'Insufficient funds'],
  ['payment.declined', { decline_reason: 'of_next_year' }, 'of_next_year'],
  ['payment.failed', { decline_reason: 'processing_error' }, 'Technical problem'],
  ['payment.failed', null, undefined],
  ['payment.approved', { brand: 'visa' }, undefined],
  ['webhook.delivered', { response_status: 200, duration_ms: 84 }, '200 · 84 ms'],
  ['webhook.delivered', { response_status: 204 }, '204'],
  ['webhook.attempt_failed', { response_status: 500, duration_ms: 3 }, 'Your server answered 500 · 3 ms'],
  ['webhook.attempt_failed', { error: 'timeout', duration_ms: 10_000 }, 'No answer in time · 10000 ms'],
  ['webhook.attempt_failed', { error: 'of_next_year' }, 'of_next_year'],
  ['webhook.exhausted', { response_status: 500 }, undefined],
])('%s with %j says %j', (action, metadata, note) => {
  expect(noteOf({ action, metadata }, timelineTexts.en, declineTexts.en)).toBe(note)
})

test.each([
  ['/checkout/v1/sessions', '/checkout/v1/sessions'],
  ['/api/transactions/txn_01kdvc4x2m8p6q7r9s0t1v2w3x/refund', '/api/transactions/txn_01kd…2w3x/refund'],
  ['/hosted/v1/checkout/cs_01kdvc4x2m8p6q7r9s0t1v2w3x', '/hosted/v1/checkout/cs_01kd…2w3x'],
])('the path %s is shown as %s', (path, shown) => {
  expect(shortPath(path)).toBe(shown)
})
