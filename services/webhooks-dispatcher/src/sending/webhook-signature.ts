import { createHmac } from 'node:crypto'
import type { SigningKeys } from './signing-keys.ts'

interface WebhookToSign {
  deliveryId: string
  body: Buffer
  keys: SigningKeys
  /** The keys of the secret from before the newest rotation, while receivers may still use it. */
  previousKeys: SigningKeys | null
  /** The Unix time of this attempt. Old signatures would make late retries look like replays. */
  timestampSeconds: number
}

/**
 * Returns the signature headers: ours, keyed with the whole secret, and that of Standard Webhooks,
 * keyed with the bytes after the prefix. Both cover the exact bytes sent. Our signature under a previous secret has its
 * own header, because receivers compare headers as a whole; Standard Webhooks allows several signatures in one header.
 */
export function signatureHeaders(signed: WebhookToSign): Record<string, string> {
  const { deliveryId, keys, previousKeys, timestampSeconds } = signed
  const timestamp = String(timestampSeconds)
  const all = previousKeys === null ? [keys] : [keys, previousKeys]
  return {
    'X-Service-Signature-Timestamp': timestamp,
    'X-Service-Signature-V1': ourSignature(signed, keys),
    ...(previousKeys === null ? {} : { 'X-Service-Signature-V1-Previous': ourSignature(signed, previousKeys) }),
    'webhook-id': deliveryId,
    'webhook-timestamp': timestamp,
    'webhook-signature': all.map(one => `v1,${standardSignature(signed, one)}`).join(' '),
  }
}

function ourSignature({ body, timestampSeconds }: WebhookToSign, { whole }: SigningKeys): string {
  return createHmac('sha256', whole).update(`${timestampSeconds}.`).update(body).digest('hex')
}

function standardSignature(
  { deliveryId, body, timestampSeconds }: WebhookToSign,
  { afterPrefix }: SigningKeys,
): string {
  return createHmac('sha256', afterPrefix).update(`${deliveryId}.${timestampSeconds}.`).update(body).digest('base64')
}
