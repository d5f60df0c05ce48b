import { type EventData, httpRequests, type Message, messageOfMany, siblingId } from '@cobro/contracts'
import type { CallBatch, SpooledCall } from './spooled-call.ts'

/** Builds the message with the `http.request` events of calls. */
export function httpRequestsMessage(calls: CallBatch): Message {
  const events = calls.map(call => ({ event: httpRequestEvent(call), traceparent: call.traceparent }))
  return messageOfMany(httpRequests, events)
}

/**
 * Builds the `http.request` event of a call. Its id derives from the request id, so consumers
 * recognize an event that is published twice because of a crash between the broker's confirm and the stored position.
 */
export function httpRequestEvent(call: SpooledCall): Message {
  const { method, path, status_code, ip, user_agent, duration_ms } = call
  const { merchant_id, target_id, correlation_id, request_id, actor } = call
  const { outcome, operation_id, error_code } = call
  const metadata = Object.entries({ outcome, operation_id, error_code }).filter(([, value]) => value)
  const data: EventData<'http.request'> = {
    ...{ method, path, status_code, ip, user_agent, duration_ms },
    trace_id: call.traceparent?.split('-')[1] ?? null,
    metadata: metadata.length > 0 ? Object.fromEntries(metadata) : null,
  }
  return {
    id: siblingId('evt', request_id),
    name: 'http.request',
    occurred_at: call.started_at,
    ...{ merchant_id, target_id, correlation_id, request_id, actor, data },
  }
}
