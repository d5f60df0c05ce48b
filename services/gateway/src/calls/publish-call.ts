import type { Publisher } from '@cobro/messaging'
import { withTrace } from '@cobro/runtime'
import { httpRequestMessage } from '../spool/http-request-message.ts'
import type { SpooledCall } from '../spool/spooled-call.ts'

/** Returns a publisher of `http.request` events, each with its call's trace and correlation id. */
export function publishCall(publisher: Pick<Publisher, 'publish'>) {
  return (call: SpooledCall): Promise<void> => {
    const message = httpRequestMessage(call)
    const { id, correlation_id } = message
    const outgoing = { id, body: Buffer.from(JSON.stringify(message)), correlationId: correlation_id }
    const baggage = correlation_id ? `correlation_id=${correlation_id}` : null
    return withTrace({ traceparent: call.traceparent, baggage }, () =>
      publisher.publish('events', message.name, outgoing),
    )
  }
}
