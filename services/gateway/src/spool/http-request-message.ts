import { type EventData, type Message, siblingId } from '@cobro/contracts'
import type { SpooledCall } from './spooled-call.ts'

/**
 * Builds the `http.request` event of a call. Its id derives from the request id, so consumers recognize an event that
 * is published twice because of a crash between the broker's confirm and the stored position.
 */
export function httpRequestMessage(call: SpooledCall): Message {
  const data: EventData<'http.request'> = {
    method: call.method,
    path: call.path,
    status_code: call.status_code,
    ip: call.ip,
    user_agent: call.user_agent,
    duration_ms: call.duration_ms,
    trace_id: call.traceparent?.split('-')[1] ?? null,
    metadata: call.outcome ? { outcome: call.outcome } : null,
  }
  return {
    id: siblingId('evt', call.request_id),
    name: 'http.request',
    occurred_at: call.started_at,
    merchant_id: call.merchant_id,
    target_id: call.target_id,
    correlation_id: call.correlation_id,
    request_id: call.request_id,
    actor: call.actor,
    data,
  }
}
