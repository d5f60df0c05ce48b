import { createHmac } from 'node:crypto'

const secretPrefix = 'whsec_'

interface Signed {
  deliveryId: string
  body: Buffer
  secret: string
  /** Unix time at which this attempt is signed. Each attempt is signed afresh, or a late retry would look like a replay. */
  timestampSeconds: number
}

/**
 * The headers by which a receiver knows that a delivery is ours. Ours is keyed by the whole secret as it is shown, prefix
 * included; that of Standard Webhooks by the bytes behind the prefix. Both cover the very bytes that are sent.
 */
export function signatureHeaders({ deliveryId, body, secret, timestampSeconds }: Signed): Record<string, string> {
  const timestamp = String(timestampSeconds)
  const secretBytes = Buffer.from(secret.slice(secretPrefix.length), 'base64')
  const ours = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
  const standard = createHmac('sha256', secretBytes).update(`${deliveryId}.${timestamp}.`).update(body).digest('base64')
  return {
    'X-Service-Signature-Timestamp': timestamp,
    'X-Service-Signature-V1': ours,
    'webhook-id': deliveryId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${standard}`,
  }
}
