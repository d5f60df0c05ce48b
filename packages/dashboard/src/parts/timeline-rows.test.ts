import { timelineRows } from './timeline-rows.ts'

const call = (request_id: string) => ({ action: 'http.request', request_id })
const event = (action: string, request_id: string | null) => ({ action, request_id })

/** Returns the rows as texts: an event, and after `<` the call that caused it. */
const rowsOf = (events: Parameters<typeof timelineRows>[0]) =>
  timelineRows(events).map(row => [row.event.action, ...(row.call ? [row.call.request_id] : [])].join(' < '))

test('a call is a part of the first event that it caused', () => {
  const rows = rowsOf([
    call('req_1'),
    event('checkout_session.created', 'req_1'),
    call('req_2'),
    event('payment.attempted', 'req_2'),
    event('payment.approved', 'req_2'),
  ])
  expect(rows).toEqual(['checkout_session.created < req_1', 'payment.attempted < req_2', 'payment.approved'])
})

test('a call that is on record after its event is a part of it too', () => {
  expect(rowsOf([event('payment.refund_requested', 'req_1'), call('req_1')])).toEqual([
    'payment.refund_requested < req_1',
  ])
})

test('calls that caused nothing and events without a call are rows of their own, in their order', () => {
  const rows = rowsOf([
    event('checkout_session.viewed', 'req_1'),
    call('req_2'),
    event('webhook.delivered', null),
    call('req_3'),
  ])
  expect(rows).toEqual(['checkout_session.viewed', 'http.request', 'webhook.delivered', 'http.request'])
})

test('no events make no rows', () => {
  expect(timelineRows([])).toEqual([])
})
