import type { Publisher } from '@cobro/messaging'
import { httpRequestsMessage } from '../spool/http-requests-message.ts'
import type { Publish } from '../spool/publish-until-confirmed.ts'

/** Returns a function that publishes the `http.request` events of calls in one message. */
export const publishCalls =
  (publisher: Pick<Publisher, 'publish'>): Publish =>
  calls => {
    const message = httpRequestsMessage(calls)
    return publisher.publish('calls', message.name, { id: message.id, body: Buffer.from(JSON.stringify(message)) })
  }
