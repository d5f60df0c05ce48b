import { compactVerify, importJWK } from 'jose'
import { z } from 'zod'
import type { Headers } from './acquirer.ts'
import { UnreadableNotification } from './acquirer-errors.ts'
import { type NotificationKey, parseNotification, signatureHeader, type WireNotification } from './notification-wire.ts'

/** Rejects signatures older than this, or further in the future, to stop replays. */
const windowSeconds = 5 * 60

/** A compact JWS without payload. Repeated headers, joined with a comma by Node, do not match. */
const detached = /^([\w-]{1,1024})\.\.([\w-]{1,1024})$/

interface SignedRequest {
  /** The body byte for byte as received: a reserialized one would not match its signature. */
  rawBody: Uint8Array
  headers: Headers
  keys: readonly NotificationKey[]
  now?: Date
}

/**
 * Parses a notification if the acquirer signed these very bytes within five minutes of now:
 * a detached JWS (RFC 7515, appendix F) in the header `Acquirer-Signature`, with `{ alg, kid, iat }` protected. Returns
 * undefined otherwise. Throws `UnreadableNotification` if the signature is valid and the body is no notification.
 */
export async function verifyNotification({
  rawBody,
  headers,
  keys,
  now = new Date(),
}: SignedRequest): Promise<WireNotification | undefined> {
  const signature = signatureOf(headers)
  const key = signature && keys.find(({ kid }) => kid === signature.kid)
  if (!key || !isFresh(signature.iat, now) || !(await isSignedBy(key, signature, rawBody))) return undefined
  const notification = parseNotification(parseJson(rawBody))
  if (!notification) throw new UnreadableNotification()
  return notification
}

/** Returns the id of the key that the signature names, if the signature is well formed. */
export function signingKeyId(headers: Headers): string | undefined {
  return signatureOf(headers)?.kid
}

const signedFields = z.object({ kid: z.string(), iat: z.int() })

function signatureOf(headers: Headers) {
  const header = headers[signatureHeader]
  const [, protectedHeader, signature] = (typeof header === 'string' && detached.exec(header)) || []
  if (!protectedHeader || !signature) return undefined
  const { data } = signedFields.safeParse(parseJson(Buffer.from(protectedHeader, 'base64url')))
  return data && { ...data, protectedHeader, signature }
}

/** Checks the time first, as it is cheaper. The signature then proves that it is authentic. */
function isFresh(iat: number, now: Date): boolean {
  return Math.abs(Math.floor(now.getTime() / 1000) - iat) <= windowSeconds
}

type Signature = NonNullable<ReturnType<typeof signatureOf>>

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
