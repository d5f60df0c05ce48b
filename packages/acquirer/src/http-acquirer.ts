import type { Logger, Secret } from '@cobro/runtime'
import type { Acquirer } from './acquirer.ts'
import { openAcquirerHttpClient } from './acquirer-http-client.ts'
import { withDurationMetric } from './acquirer-metrics.ts'
import { fetchEncryptionKey, requestToken } from './card-requests.ts'
import { createUnderKey, endKey, findByKey } from './idempotent-requests.ts'
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
 * Creates an acquirer that speaks the HTTP protocol in this package's README. It does not connect yet: an unreachable acquirer
 * fails the calls that need it, not the start of the service.
 */
export function httpAcquirer(settings: HttpAcquirerSettings): HttpAcquirer {
  const { timeoutMs = defaultTimeoutMs, findDelaysMs = [0, 300, 900], logger } = settings
  const client = openAcquirerHttpClient(settings)
  const deps = { client, timeoutMs, findDelaysMs, logger }
  const keyTimeout = Math.min(keyTimeoutMs, timeoutMs)
  const loadKey = () => fetchEncryptionKey(client, keyTimeout)
  return {
    encryptionKey: staleWhileRevalidate(loadKey, { freshMs: keyFreshMs, retryMs: keyRetryMs }),
    tokenize: withDurationMetric('tokenize', jwe => requestToken(client, timeoutMs, jwe)),
    charge: withDurationMetric('charge', request => createUnderKey(deps, chargeResource, request)),
    findCharge: withDurationMetric('find', key => findByKey(deps, chargeResource, key)),
    reverseCharge: withDurationMetric('reverse', key => endKey(deps, chargeResource, key)),
    refund: withDurationMetric('refund', request => createUnderKey(deps, refundResource, request)),
    findRefund: withDurationMetric('find_refund', key => findByKey(deps, refundResource, key)),
    reverseRefund: withDurationMetric('reverse_refund', key => endKey(deps, refundResource, key)),
    issueVoucher: withDurationMetric('voucher', request => createUnderKey(deps, voucherResource, request)),
    findVoucher: withDurationMetric('find_voucher', key => findByKey(deps, voucherResource, key)),
    withdrawVoucher: withDurationMetric('withdraw_voucher', key => endKey(deps, voucherResource, key)),
    readNotification: notificationReader(client, keyTimeout),
    close: client.close,
  }
}
