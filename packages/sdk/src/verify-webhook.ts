import { createHmac, timingSafeEqual } from 'node:crypto'
import { type WebhookEvent, type WebhookHeaders, WebhookRefused } from './webhook.ts'

export interface VerifyOptions {
  /** How far the time of signing may lie from now, either way. 300 unless said otherwise, as retries are signed afresh. */
  toleranceSeconds?: number
  /** The present, in Unix milliseconds: for tests. */
  nowMs?: number
}

const timestampHeader = 'x-service-signature-timestamp'
const signatureHeader = 'x-service-signature-v1'
/** Made with the secret before the last rotation, for a day. */
const previousSignatureHeader = 'x-service-signature-v1-previous'

const defaultToleranceSeconds = 300
/** Base64 of 24 bytes or more; ours are of 32. */
const secretShape = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/

/**
 * Gives the event that a webhook brings, once it is certain that we sent it, lately, in these very bytes. Throws
 * `WebhookRefused` otherwise.
 *
 * `rawBody` is the body as it came over the network: parsing and serialising it again would change bytes. `secret` is the
 * endpoint's, `whsec_` included; during a rotation the old one and the new one will both do.
 */
export function verifyWebhook<Data = Record<string, unknown>>(
  rawBody: Uint8Array | string,
  headers: WebhookHeaders,
  secret: string,
  options: VerifyOptions = {},
): WebhookEvent<Data> {
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array)) {
    throw new TypeError('verifyWebhook needs the body as it came, as bytes or text, not what was parsed from it.')
  }
  // Without this an unset variable would make a key that anybody can guess.
  if (typeof secret !== 'string' || !secretShape.test(secret)) {
    throw new TypeError('verifyWebhook needs the signing secret of the endpoint: whsec_ and what follows, whole.')
  }
  const timestamp = headerOf(headers, timestampHeader)
  const signature = headerOf(headers, signatureHeader)
  if (timestamp === undefined || signature === undefined) {
    throw new WebhookRefused('header_missing', `expected one ${timestampHeader} and one ${signatureHeader}`)
  }
  checkAge(timestamp, options)
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest()
  const previous = headerOf(headers, previousSignatureHeader)
  if (!matches(signature, expected) && !(previous !== undefined && matches(previous, expected))) {
    throw new WebhookRefused('signature_mismatch', 'no signature was made with this secret over this body')
  }
  return eventOf<Data>(rawBody)
}

/** The only value of a header, whose name may be written in any case; undefined where there is none, or more than one. */
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
  // A tolerance that is no number would compare as false with every age, and so let each one pass.
  if (!(toleranceSeconds >= 0)) throw new RangeError('toleranceSeconds has to be a number, 0 or more.')
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookRefused('timestamp_invalid', 'expected Unix seconds')
  const ageSeconds = Math.floor(nowMs / 1_000) - Number(timestamp)
  if (Math.abs(ageSeconds) > toleranceSeconds) {
    throw new WebhookRefused(
      'timestamp_out_of_tolerance',
      `signed ${ageSeconds} s ago, ${toleranceSeconds} s are allowed`,
    )
  }
}

/** Compares in a time that says nothing of how much of a forged signature is right. */
function matches(signature: string, expected: Buffer): boolean {
  return /^[0-9a-f]{64}$/.test(signature) && timingSafeEqual(Buffer.from(signature, 'hex'), expected)
}

function eventOf<Data>(rawBody: Uint8Array | string): WebhookEvent<Data> {
  const text = typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody)
  let event: unknown
  try {
    event = JSON.parse(text)
  } catch {
    throw new WebhookRefused('body_invalid', 'expected JSON')
  }
  if (typeof event !== 'object' || event === null || !('object' in event) || event.object !== 'event') {
    throw new WebhookRefused('body_invalid', 'expected an event')
  }
  return event as WebhookEvent<Data>
}
