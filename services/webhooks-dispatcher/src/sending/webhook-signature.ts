import { createHmac } from 'node:crypto'
import { secretPrefixes } from '@cobro/contracts'

interface WebhookToSign {
  deliveryId: string
  body: Buffer
  secret: string
  /** The secret from before the newest rotation, while receivers may still use it. */
  previousSecret: string | null
  /** The Unix time of this attempt. Old signatures would make late retries look like replays. */
  timestampSeconds: number
}

/**
 * Returns the signature headers: ours, keyed with the whole secret, and that of Standard Webhooks,
 * keyed with the bytes after the prefix. Both cover the exact bytes sent. Our signature under a previous secret has its
 * own header, because receivers compare headers as a whole; Standard Webhooks allows several signatures in one header.
 */
export function signatureHeaders(signed: WebhookToSign): Record<string, string> {
  const { deliveryId, secret, previousSecret, timestampSeconds } = signed
  const timestamp = String(timestampSeconds)
  const secrets = previousSecret === null ? [secret] : [secret, previousSecret]
  return {
    'X-Service-Signature-Timestamp': timestamp,
    'X-Service-Signature-V1': ourSignature(signed, secret),
    ...(previousSecret === null ? {} : { 'X-Service-Signature-V1-Previous': ourSignature(signed, previousSecret) }),
    'webhook-id': deliveryId,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map(one => `v1,${standardSignature(signed, one)}`).join(' '),
  }
}

function ourSignature({ body, timestampSeconds }: WebhookToSign, secret: string): string {
  return createHmac('sha256', secret).update(`${timestampSeconds}.`).update(body).digest('hex')
}

function standardSignature({ deliveryId, body, timestampSeconds }: WebhookToSign, secret: string): string {
  const key = Buffer.from(secret.slice(secretPrefixes.webhookSecret.length), 'base64')
  return createHmac('sha256', key).update(`${deliveryId}.${timestampSeconds}.`).update(body).digest('base64')
}
