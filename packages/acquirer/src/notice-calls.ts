import { AcquirerAway, type Headers } from './acquirer.ts'
import type { Exchanges } from './acquirer-exchange.ts'
import { describeExchange } from './card-calls.ts'
import { keptFresh } from './kept-fresh.ts'
import { chargeOutcome, issuedOutcome, refundOutcome } from './kinds.ts'
import type { Notice } from './notice.ts'
import { type Notification, type NotificationKey, notificationKey, notificationKeys } from './notifications.ts'
import { signingKeyId, verifyNotification } from './verify-notification.ts'

const freshMs = 5 * 60_000
const retryMs = 10_000

/**
 * Makes what reads notices over the acquirer's published keys. They are kept for five minutes; a key id that is not among
 * them has them fetched at once, yet at most every ten seconds, since anybody can make key ids up.
 */
export function noticeReader(exchanges: Exchanges, timeoutMs: number) {
  const load = () => fetchKeys(exchanges, timeoutMs)
  const usual = keptFresh(load, { freshMs, retryMs })
  const newest = keptFresh(load, { freshMs: retryMs, retryMs })
  return async (rawBody: Uint8Array, headers: Headers): Promise<Notice | undefined> => {
    const kid = signingKeyId(headers)
    if (kid === undefined) return undefined
    const known = await usual()
    const keys = known.some(key => key.kid === kid) ? known : await newest()
    const notification = await verifyNotification({ rawBody, headers, keys })
    return notification && noticeOf(notification)
  }
}

async function fetchKeys(exchanges: Exchanges, timeoutMs: number): Promise<NotificationKey[]> {
  const answer = await exchanges.ask({ method: 'GET', path: '/v1/notification-keys', timeoutMs })
  const set = notificationKeys.safeParse(answer.stage === 'after' && answer.status === 200 ? answer.body : undefined)
  if (!set.success) throw new AcquirerAway(describeExchange(answer))
  return set.data.keys.flatMap(key => notificationKey.safeParse(key).data ?? [])
}

/** Puts a notification in the words of the port. */
function noticeOf({ id, created_at, type, data }: Notification): Notice {
  switch (type) {
    case 'charge.settled':
      return { id, created_at, of: 'charge', key: data.key, outcome: chargeOutcome(data) }
    case 'refund.completed':
    case 'refund.failed':
      return { id, created_at, of: 'refund', key: data.key, outcome: refundOutcome(data) }
    case 'voucher.paid':
    case 'voucher.expired':
      return { id, created_at, of: 'voucher', key: data.key, outcome: issuedOutcome(data) }
    case 'dispute.opened':
    case 'dispute.won':
    case 'dispute.lost':
      return { id, created_at, of: 'dispute', dispute: data }
    case 'unknown':
      return { id, created_at, of: 'unknown', type: data.type }
  }
}
