import { compactVerify, importJWK } from 'jose'
import { type Headers, UnreadableNotice } from './acquirer.ts'
import { type Notification, type NotificationKey, readNotification, signatureHeader } from './notifications.ts'

/** A signature older than this, or further in the future, is worth nothing: it may have been overheard. */
const windowSeconds = 5 * 60

/** A compact JWS without its payload. Two headers of the name come joined by a comma and do not fit. */
const detached = /^([\w-]{1,1024})\.\.([\w-]{1,1024})$/

interface Check {
  /** The body as it came, byte for byte: read and written again it might be signed by nobody. */
  rawBody: Uint8Array
  headers: Headers
  keys: readonly NotificationKey[]
  now?: Date
}

/**
 * Reads a notification if the acquirer signed these very bytes within the last five minutes: a detached JWS (RFC 7515,
 * appendix F) in the header `Acquirer-Signature`, its protected header `{ alg, kid, iat }`. Gives undefined for everything
 * else, whatever the reason. Throws `UnreadableNotice` where the signature is right and the body is no notification.
 */
export async function verifyNotification({
  rawBody,
  headers,
  keys,
  now = new Date(),
}: Check): Promise<Notification | undefined> {
  const signature = signatureOf(headers)
  const key = signature && keys.find(({ kid }) => kid === signature.kid)
  if (!key || !isFresh(signature.iat, now) || !(await isSignedBy(key, signature, rawBody))) return undefined
  const notification = readNotification(parseJson(rawBody))
  if (!notification) throw new UnreadableNotice()
  return notification
}

/** The id of the key that a notification claims to be signed with, where its signature has the right form. */
export function signingKeyId(headers: Headers): string | undefined {
  return signatureOf(headers)?.kid
}

interface Signature {
  protectedHeader: string
  signature: string
  kid: string
  iat: number
}

function signatureOf(headers: Headers): Signature | undefined {
  const header = headers[signatureHeader]
  const [, protectedHeader, signature] = (typeof header === 'string' && detached.exec(header)) || []
  if (!protectedHeader || !signature) return undefined
  const { kid, iat } = Object(parseJson(Buffer.from(protectedHeader, 'base64url'))) as { kid?: unknown; iat?: unknown }
  return typeof kid === 'string' && Number.isSafeInteger(iat)
    ? { protectedHeader, signature, kid, iat: iat as number }
    : undefined
}

/** The time is believed only after the signature has been checked; it is looked at first because that is cheaper. */
function isFresh(iat: number, now: Date): boolean {
  return Math.abs(Math.floor(now.getTime() / 1000) - iat) <= windowSeconds
}

async function isSignedBy(key: NotificationKey, { protectedHeader, signature }: Signature, body: Uint8Array) {
  const jws = `${protectedHeader}.${Buffer.from(body).toString('base64url')}.${signature}`
  try {
    await compactVerify(jws, await importJWK(key, key.alg), { algorithms: [key.alg] })
    return true
  } catch {
    return false
  }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}
