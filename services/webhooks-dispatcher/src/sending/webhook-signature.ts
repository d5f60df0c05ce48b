import { createHmac } from 'node:crypto'
import { secretPrefixes } from '@cobro/contracts'

interface WebhookToSign {
  deliveryId: string
  body: Buffer
  secret: string
  /** The secret from before the newest rotation, while receivers may still use it. */
  previousSecret: string | null
  /** The Unix time of this attempt. Each attempt is signed again, or a late retry would look like a replay. */
  timestampSeconds: number
}

/**
 * Returns the signature headers: our own, keyed with the whole secret as shown, and that of Standard Webhooks, keyed with the
 * bytes after the prefix. Both cover the exact bytes that are sent. After a rotation, our signature under the previous secret has
 * its own header, because receivers compare the header as a whole; Standard Webhooks allows several signatures in one header.
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
