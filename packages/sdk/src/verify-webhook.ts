import { createHmac, timingSafeEqual } from 'node:crypto'
import { type WebhookEvent, type WebhookHeaders, WebhookVerificationError } from './webhook.ts'

export interface VerifyOptions {
  /** The largest accepted age (or lead) of a signature. Default 300; retries get a fresh one. */
  toleranceSeconds?: number
  /** The current time in Unix milliseconds, for tests. */
  nowMs?: number
}

const timestampHeader = 'x-service-signature-timestamp'
const signatureHeader = 'x-service-signature-v1'
/** Signed with the previous secret, for 24 hours after a rotation. */
const previousSignatureHeader = 'x-service-signature-v1-previous'

const defaultToleranceSeconds = 300
/**
 * The prefix and base64 of at least 24 bytes; ours have 32. The SDK has no run-time dependencies,
 * so it repeats the prefix, and a test compares it with the contract's `secretPrefixes`.
 */
const secretShape = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/

/**
 * Returns the event of a webhook after checking its signature and age.
 * Throws `WebhookVerificationError` if either is invalid, and `TypeError` if the secret or the body is unusable.
 * `rawBody` is the received body: parsing and re-serializing it would change its bytes. `secret` is the endpoint's,
 * with `whsec_`; during a rotation both the old and the new one work.
 */
export function verifyWebhook<Data = Record<string, unknown>>(
  rawBody: Uint8Array | string,
  headers: WebhookHeaders,
  secret: string,
  options: VerifyOptions = {},
): WebhookEvent<Data> {
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array)) {
    throw new TypeError('verifyWebhook needs the raw body as bytes or text, not the parsed body.')
  }
  // Otherwise an unset variable would become a key that anyone can guess.
  if (typeof secret !== 'string' || !secretShape.test(secret)) {
    throw new TypeError('verifyWebhook needs the whole signing secret of the endpoint, including whsec_.')
  }
  const timestamp = headerOf(headers, timestampHeader)
  const signature = headerOf(headers, signatureHeader)
  if (timestamp === undefined || signature === undefined) {
    throw new WebhookVerificationError('header_missing', `expected one ${timestampHeader} and one ${signatureHeader}`)
  }
  checkAge(timestamp, options)
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest()
  const previous = headerOf(headers, previousSignatureHeader)
  if (!matches(signature, expected) && !(previous !== undefined && matches(previous, expected))) {
    throw new WebhookVerificationError('signature_mismatch', 'no signature matches this secret and body')
  }
  return eventOf<Data>(rawBody)
}

/** Returns the single value of a header, ignoring case; undefined if it is missing or repeated. */
function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (isFetchHeaders(headers)) return headers.get(name) ?? undefined
  const values = Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? value : []))
  return values.length === 1 ? values[0] : undefined
}

function isFetchHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function'
}

function checkAge(
  timestamp: string,
  { toleranceSeconds = defaultToleranceSeconds, nowMs = Date.now() }: VerifyOptions,
) {
  // NaN compares as false with every age and would accept everything.
  if (!(toleranceSeconds >= 0)) throw new RangeError('toleranceSeconds must be a number of at least 0.')
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('timestamp_invalid', 'expected Unix seconds')
  const ageSeconds = Math.floor(nowMs / 1_000) - Number(timestamp)
  if (Math.abs(ageSeconds) > toleranceSeconds) {
    throw new WebhookVerificationError(
      'timestamp_out_of_tolerance',
      `signed ${ageSeconds} s ago, ${toleranceSeconds} s are allowed`,
    )
  }
}

/** Compares in constant time. */
function matches(signature: string, expected: Buffer): boolean {
  return /^[0-9a-f]{64}$/.test(signature) && timingSafeEqual(Buffer.from(signature, 'hex'), expected)
}

function eventOf<Data>(rawBody: Uint8Array | string): WebhookEvent<Data> {
  const text = typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody)
  let event: unknown
  try {
    event = JSON.parse(text)
  } catch {
    throw new WebhookVerificationError('body_invalid', 'expected JSON')
  }
  if (typeof event !== 'object' || event === null || !('object' in event) || event.object !== 'event') {
    throw new WebhookVerificationError('body_invalid', 'expected an event')
  }
  return event as WebhookEvent<Data>
}
