import { httpRequests, type Message, messageOfMany, newId } from '@cobro/contracts'

const callsPerMessage = 50

/** Returns messages with the events of HTTP calls, as the gateway publishes them under load. */
export const auditCalls = (count: number): Message[] =>
  Array.from({ length: Math.ceil(count / callsPerMessage) }, (_, at) =>
    messageOf(Math.min(callsPerMessage, count - at * callsPerMessage)),
  )

const messageOf = (count: number): Message =>
  messageOfMany(
    httpRequests,
    Array.from({ length: count }, () => ({ event: auditCall(), traceparent: null })),
  )

/** Returns the audit event of an HTTP call of typical size. */
function auditCall(): Message {
  return {
    id: newId('evt'),
    name: 'http.request',
    occurred_at: new Date().toISOString(),
    merchant_id: newId('mrc'),
    target_id: newId('cs'),
    correlation_id: newId('corr'),
    request_id: newId('req'),
    actor: { type: 'key', id: newId('key') },
    data: {
      method: 'POST',
      path: '/checkout/v1/sessions',
      status_code: 201,
      ip: '203.0.113.7',
      user_agent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
      duration_ms: 12,
      trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
      metadata: null,
    },
  }
}
