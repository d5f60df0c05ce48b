import type { Logger, Secret } from '@cobro/runtime'
import type { Acquirer } from './acquirer.ts'
import { openExchanges } from './acquirer-exchange.ts'
import { measured } from './acquirer-metrics.ts'
import { fetchEncryptionKey, tokenizeCard } from './card-calls.ts'
import { keptFresh } from './kept-fresh.ts'
import { begin, end, find } from './keyed-calls.ts'
import { charges, refunds, vouchers } from './kinds.ts'
import { noticeReader } from './notice-calls.ts'

interface HttpAcquirerSettings {
  url: string
  /** The secret that the acquirer knows us by, sent as a bearer's token. */
  apiKey: Secret
  /** How long one call may take as a whole. Keys are waited for at most 3 s. */
  timeoutMs?: number
  /** The waits before each `find` that follows an unclear answer. */
  findWaitsMs?: readonly number[]
  /** Told of every answer that was of no use, by key and kind of failure. */
  logger?: Logger
}

/** An acquirer that is spoken to over HTTP. */
export interface HttpAcquirer extends Acquirer {
  /** Lets the calls in hand end, then closes the connections. */
  close(): Promise<void>
}

const defaultTimeoutMs = 10_000
/** A payer waits for the page meanwhile. */
const keyTimeoutMs = 3_000
const keyFreshMs = 5 * 60_000
const keyRetryMs = 10_000

/**
 * Makes an acquirer of the HTTP protocol that this package's README describes. Nothing is connected yet: an acquirer that
 * is away fails the calls that need it, not the start.
 */
export function httpAcquirer(settings: HttpAcquirerSettings): HttpAcquirer {
  const { timeoutMs = defaultTimeoutMs, findWaitsMs = [0, 300, 900], logger } = settings
  const exchanges = openExchanges(settings)
  const deps = { exchanges, timeoutMs, findWaitsMs, logger }
  const keyTimeout = Math.min(keyTimeoutMs, timeoutMs)
  const loadKey = () => fetchEncryptionKey(exchanges, keyTimeout)
  return {
    encryptionKey: keptFresh(loadKey, { freshMs: keyFreshMs, retryMs: keyRetryMs }),
    tokenize: measured('tokenize', jwe => tokenizeCard(exchanges, timeoutMs, jwe)),
    charge: measured('charge', request => begin(deps, charges, request)),
    find: measured('find', key => find(deps, charges, key)),
    reverse: measured('reverse', key => end(deps, charges, key)),
    refund: measured('refund', request => begin(deps, refunds, request)),
    findRefund: measured('find_refund', key => find(deps, refunds, key)),
    reverseRefund: measured('reverse_refund', key => end(deps, refunds, key)),
    voucher: measured('voucher', request => begin(deps, vouchers, request)),
    findVoucher: measured('find_voucher', key => find(deps, vouchers, key)),
    withdrawVoucher: measured('withdraw_voucher', key => end(deps, vouchers, key)),
    readNotice: noticeReader(exchanges, keyTimeout),
    close: exchanges.close,
  }
}
