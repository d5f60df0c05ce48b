import type { Logger } from '@cobro/runtime'
import type { Acquirer } from './acquirer.ts'
import { openExchanges } from './acquirer-exchange.ts'
import { fetchEncryptionKey, tokenizeCard } from './card-calls.ts'
import { chargeToken, findCharge, reverseCharge } from './charge-calls.ts'
import { keptFresh } from './kept-fresh.ts'

interface HttpAcquirerSettings {
  url: string
  /** The secret that the acquirer knows us by, sent as a bearer's token. */
  apiKey: string
  /** How long one call may take as a whole. Keys are waited for at most 3 s. */
  timeoutMs?: number
  /** The waits before each `find` that follows an unclear charge. */
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
  const loadKey = () => fetchEncryptionKey(exchanges, Math.min(keyTimeoutMs, timeoutMs))
  return {
    encryptionKey: keptFresh(loadKey, { freshMs: keyFreshMs, retryMs: keyRetryMs }),
    tokenize: jwe => tokenizeCard(exchanges, timeoutMs, jwe),
    charge: request => chargeToken(deps, request),
    find: key => findCharge(deps, key),
    reverse: key => reverseCharge(deps, key),
    close: exchanges.close,
  }
}
