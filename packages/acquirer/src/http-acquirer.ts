import type { Logger, Secret } from '@cobro/runtime'
import type { Acquirer } from './acquirer.ts'
import { openAcquirerHttpClient } from './acquirer-http-client.ts'
import { withDurationMetric } from './acquirer-metrics.ts'
import { fetchEncryptionKey, requestToken } from './card-requests.ts'
import { idempotentRequests } from './idempotent-requests.ts'
import { chargeResource, refundResource, voucherResource } from './keyed-resources.ts'
import { notificationReader } from './notification-reader.ts'
import { staleWhileRevalidate } from './stale-while-revalidate.ts'

interface HttpAcquirerSettings {
  url: string
  /** Our API key at the acquirer, sent as a bearer token. */
  apiKey: Secret
  /** The time limit of one request. Requests for keys are limited to 3 s. */
  timeoutMs?: number
  /** The delays before each query that follows an unclear response. */
  findDelaysMs?: readonly number[]
  /** Logs every unusable response, with its key and the kind of failure. */
  logger?: Logger
}

/** An acquirer that is reached over HTTP. */
export interface HttpAcquirer extends Acquirer {
  /** Waits for the requests in flight, then closes the connections. */
  close(): Promise<void>
}

const defaultTimeoutMs = 10_000
/** Short, because a payer waits for the page meanwhile. */
const keyTimeoutMs = 3_000
const keyFreshMs = 5 * 60_000
const keyRetryMs = 10_000

/**
 * Creates an acquirer that speaks the HTTP protocol in this package's README. It does not connect
 * yet: an unreachable acquirer fails the calls that need it, not the start of the service.
 */
export function httpAcquirer(settings: HttpAcquirerSettings): HttpAcquirer {
  const { timeoutMs = defaultTimeoutMs, findDelaysMs = [0, 300, 900], logger } = settings
  const client = openAcquirerHttpClient(settings)
  const deps = { client, timeoutMs, findDelaysMs, logger }
  const charges = idempotentRequests(deps, chargeResource)
  const refunds = idempotentRequests(deps, refundResource)
  const vouchers = idempotentRequests(deps, voucherResource)
  const keyTimeout = Math.min(keyTimeoutMs, timeoutMs)
  const loadKey = () => fetchEncryptionKey(client, keyTimeout)
  return {
    encryptionKey: staleWhileRevalidate(loadKey, { freshMs: keyFreshMs, retryMs: keyRetryMs }),
    tokenize: withDurationMetric('tokenize', (jwe, payment) =>
      requestToken(client, timeoutMs, { card_jwe: jwe, payment }),
    ),
    charge: withDurationMetric('charge', charges.create),
    findCharge: withDurationMetric('find', charges.find),
    reverseCharge: withDurationMetric('reverse', charges.end),
    refund: withDurationMetric('refund', refunds.create),
    findRefund: withDurationMetric('find_refund', refunds.find),
    reverseRefund: withDurationMetric('reverse_refund', refunds.end),
    issueVoucher: withDurationMetric('voucher', vouchers.create),
    findVoucher: withDurationMetric('find_voucher', vouchers.find),
    withdrawVoucher: withDurationMetric('withdraw_voucher', vouchers.end),
    readNotification: notificationReader(client, keyTimeout),
    close: client.close,
  }
}
