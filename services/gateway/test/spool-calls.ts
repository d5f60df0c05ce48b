import { newId } from '@cobro/contracts'
import type { CallBegin, CallEnd } from '../src/spool/spooled-call.ts'

export function callBegin(more: Partial<CallBegin> = {}): CallBegin {
  return {
    request_id: newId('req'),
    started_at: new Date().toISOString(),
    method: 'POST',
    path: '/checkout/v1/sessions',
    ip: '203.0.113.7',
    user_agent: 'curl/8.5.0',
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    target_id: null,
    ...more,
  }
}

export function callEnd(more: Partial<CallEnd> = {}): CallEnd {
  return {
    status_code: 201,
    duration_ms: 12,
    merchant_id: null,
    actor: { type: 'key', id: null },
    correlation_id: null,
    target_id: null,
    ...more,
  }
}
