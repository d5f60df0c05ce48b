import type { AcquirerNotification, Headers } from './acquirer.ts'
import type { AcquirerHttpClient } from './acquirer-http-client.ts'
import { fetchKeys } from './fetch-keys.ts'
import { chargeOutcome, refundOutcome, voucherOf } from './keyed-resources.ts'
import { notificationKey, type WireNotification } from './notification-wire.ts'
import { staleWhileRevalidate } from './stale-while-revalidate.ts'
import { signingKeyId, verifyNotification } from './verify-notification.ts'

const freshMs = 5 * 60_000
const retryMs = 10_000

/**
 * Returns a function that verifies notifications with published keys, cached for five minutes.
 * An unknown key id triggers a refetch, at most every ten seconds, because anyone can make up key ids.
 */
export function notificationReader(client: AcquirerHttpClient, timeoutMs: number) {
  const load = () => fetchKeys(client, '/v1/notification-keys', notificationKey, timeoutMs)
  const cachedKeys = staleWhileRevalidate(load, { freshMs, retryMs })
  const newestKeys = staleWhileRevalidate(load, { freshMs: retryMs, retryMs })
  return async (rawBody: Uint8Array, headers: Headers): Promise<AcquirerNotification | undefined> => {
    const kid = signingKeyId(headers)
    if (kid === undefined) return undefined
    const cached = await cachedKeys()
    const keys = cached.some(key => key.kid === kid) ? cached : await newestKeys()
    const notification = await verifyNotification({ rawBody, headers, keys })
    return notification && translate(notification)
  }
}

/** Translates a notification of the wire into one of the port. */
function translate({ id, created_at, type, data }: WireNotification): AcquirerNotification {
  switch (type) {
    case 'charge.settled':
      return { id, created_at, of: 'charge', key: data.key, outcome: chargeOutcome(data) }
    case 'refund.completed':
    case 'refund.failed':
      return { id, created_at, of: 'refund', key: data.key, outcome: refundOutcome(data) }
    case 'voucher.paid':
    case 'voucher.expired':
      return { id, created_at, of: 'voucher', key: data.key, outcome: voucherOf(data) }
    case 'dispute.opened':
    case 'dispute.won':
    case 'dispute.lost':
      return { id, created_at, of: 'dispute', dispute: data }
    case 'unknown':
      return { id, created_at, of: 'unknown', type: data.type }
  }
}
