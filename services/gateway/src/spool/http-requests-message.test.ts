import { endedCall, events, httpRequests, isId, message, newId } from '@cobro/contracts'
import { callBegin, callEnd } from '../../test/spool-calls.ts'
import { httpRequestEvent, httpRequestsMessage } from './http-requests-message.ts'
import { cutOffCall, endCall } from './spooled-call.ts'

test('builds the declared event with an id derived from the request id', () => {
  const begin = callBegin()
  const event = httpRequestEvent(endCall(begin, callEnd({ correlation_id: newId('corr'), merchant_id: newId('mrc') })))
  expect(message.parse(event)).toEqual(event)
  expect(events['http.request'].data.parse(event.data)).toEqual(event.data)
  expect(isId('evt', event.id) && event.id.slice(4)).toBe(begin.request_id.slice(4))
  expect(event).toMatchObject({ request_id: begin.request_id, occurred_at: begin.started_at })
  expect(event.data.trace_id).toBe('4bf92f3577b34da6a3ce929d0e0e4736')
})

test('keeps the target of the path unless the response names another', () => {
  const [fromPath, fromAnswer] = [newId('cs'), newId('txn')]
  const begin = callBegin({ target_id: fromPath })
  expect(httpRequestEvent(endCall(begin, callEnd())).target_id).toBe(fromPath)
  expect(httpRequestEvent(endCall(begin, callEnd({ target_id: fromAnswer }))).target_id).toBe(fromAnswer)
})

test('builds the same event of an interrupted call each time', () => {
  const begin = callBegin()
  const event = httpRequestEvent(cutOffCall(begin))
  expect(event.data).toMatchObject({ status_code: 500, metadata: { outcome: 'gateway_crashed' } })
  expect(httpRequestEvent(cutOffCall(begin))).toEqual(event)
})

test('a message has the events of its calls with their traces, and an id of its own each time', () => {
  const calls = [endCall(callBegin(), callEnd()), endCall(callBegin({ traceparent: null }), callEnd())]
  const built = httpRequestsMessage(calls)
  expect(message.parse(built)).toEqual(built)
  expect(httpRequests.data.parse(built.data).events.map(event => endedCall.parse(event))).toEqual(
    calls.map(call => ({ event: httpRequestEvent(call), traceparent: call.traceparent })),
  )
  expect(built.name).toBe('http.requests')
  expect(httpRequestsMessage(calls).id).not.toBe(built.id)
})
