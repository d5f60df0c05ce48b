import type { Publisher } from '@cobro/messaging'
import { withTrace } from '@cobro/runtime'
import { httpRequestMessage } from '../spool/http-request-message.ts'
import type { SpooledCall } from '../spool/spooled-call.ts'

/** Makes the spool's way to the broker: a call's `http.request` event, under its lifecycle's correlation id. */
export function publishCall(publisher: Pick<Publisher, 'publish'>) {
  return (call: SpooledCall): Promise<void> => {
    const message = httpRequestMessage(call)
    const { id, correlation_id } = message
    const outgoing = { id, body: Buffer.from(JSON.stringify(message)), correlationId: correlation_id }
    const trace = correlation_id ? { baggage: `correlation_id=${correlation_id}` } : {}
    return withTrace(trace, () => publisher.publish('events', message.name, outgoing))
  }
}
