import type { WebhookEvent } from './generated/types.ts'
import { type WebhookHeaders, WebhookVerificationError } from './webhook.ts'

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

const encoder = new TextEncoder()

/**
 * Returns the event of a webhook after checking its signature and age. Uses Web Crypto, so it runs on Node, Deno, Bun and edge
 * runtimes alike. Rejects with `WebhookVerificationError` if either is invalid, and with `TypeError` if the secret or the body is
 * unusable. `rawBody` is the received body: parsing and re-serializing it would change its bytes. `secret` is the endpoint's,
 * with `whsec_`, or a list of which one has to match; during a rotation both the old and the new one work.
 */
export async function verifyWebhook(
  rawBody: Uint8Array | string,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array)) {
    throw new TypeError('verifyWebhook needs the raw body as bytes or text, not the parsed body.')
  }
  const secrets: readonly string[] = Array.from(typeof secret === 'string' ? [secret] : (secret ?? []))
  // Otherwise an unset variable would become a key that anyone can guess.
  if (secrets.length === 0 || !secrets.every(isSecret)) {
    throw new TypeError('verifyWebhook needs the whole signing secret of the endpoint, including whsec_.')
  }
  const timestamp = headerOf(headers, timestampHeader)
  const signature = headerOf(headers, signatureHeader)
  if (timestamp === undefined || signature === undefined) {
    throw new WebhookVerificationError('header_missing', `expected one ${timestampHeader} and one ${signatureHeader}`)
  }
  checkAge(timestamp, options)
  const signatures = [signature, headerOf(headers, previousSignatureHeader)].flatMap(bytesOfSignature)
  // A copy: the caller may reuse its buffer while the signature is verified.
  const bytes = signedBytes(timestamp, rawBody)
  if (!(await matchesAny(signatures, secrets, bytes))) {
    throw new WebhookVerificationError('signature_mismatch', 'no signature matches this secret and body')
  }
  return eventOf(bytes.subarray(timestamp.length + 1))
}

/** A request of the Fetch API whose body was not read yet. */
interface FetchRequest {
  readonly headers: { get(name: string): string | null }
  arrayBuffer(): Promise<ArrayBuffer>
}

/** Does what `verifyWebhook` does for a request of the Fetch API, whose body it reads. */
export async function verifyWebhookRequest(
  request: FetchRequest,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  return verifyWebhook(new Uint8Array(await request.arrayBuffer()), request.headers, secret, options)
}

function isSecret(secret: unknown): boolean {
  return typeof secret === 'string' && secretShape.test(secret)
}

function signedBytes(timestamp: string, rawBody: Uint8Array | string): Uint8Array<ArrayBuffer> {
  const start = encoder.encode(`${timestamp}.`)
  const body = typeof rawBody === 'string' ? encoder.encode(rawBody) : rawBody
  const bytes = new Uint8Array(start.length + body.length)
  bytes.set(start)
  bytes.set(body, start.length)
  return bytes
}

/** Web Crypto compares in constant time. */
async function matchesAny(
  signatures: readonly Uint8Array<ArrayBuffer>[],
  secrets: readonly string[],
  bytes: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  for (const secret of secrets) {
    const hmac = { name: 'HMAC', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('raw', encoder.encode(secret), hmac, false, ['verify'])
    for (const signature of signatures) if (await crypto.subtle.verify('HMAC', key, signature, bytes)) return true
  }
  return false
}

/** Returns the bytes of a signature in lower-case hex; none of any other text. */
function bytesOfSignature(hex: string | undefined): Uint8Array<ArrayBuffer>[] {
  if (hex === undefined || !/^[0-9a-f]{64}$/.test(hex)) return []
  return [Uint8Array.from({ length: 32 }, (_, place) => Number.parseInt(hex.slice(2 * place, 2 * place + 2), 16))]
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

function eventOf(body: Uint8Array): WebhookEvent {
  const text = new TextDecoder().decode(body)
  let event: unknown
  try {
    event = JSON.parse(text)
  } catch {
    throw new WebhookVerificationError('body_invalid', 'expected JSON')
  }
  if (!isEvent(event)) throw new WebhookVerificationError('body_invalid', 'expected an event')
  return event
}

/** The signature shows that Cobro made the event, so its other fields are not checked. */
function isEvent(value: unknown): value is WebhookEvent {
  return typeof value === 'object' && value !== null && 'object' in value && value.object === 'event'
}
