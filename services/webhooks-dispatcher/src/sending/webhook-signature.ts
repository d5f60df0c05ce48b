import { createHmac } from 'node:crypto'

const secretPrefix = 'whsec_'

interface Signed {
  deliveryId: string
  body: Buffer
  secret: string
  /** The secret before the newest rotation, while receivers may not have changed over yet. */
  previousSecret: string | null
  /** Unix time at which this attempt is signed. Each attempt is signed afresh, or a late retry would look like a replay. */
  timestampSeconds: number
}

/**
 * The headers by which a receiver knows that a delivery is ours. Ours is keyed by the whole secret as it is shown, prefix
 * included; that of Standard Webhooks by the bytes behind the prefix. Both cover the very bytes that are sent. Ours is one
 * value, since receivers compare it as a whole, so the previous secret's stands in a header of its own; Standard Webhooks
 * takes several in one.
 */
export function signatureHeaders(signed: Signed): Record<string, string> {
  const { deliveryId, secret, previousSecret, timestampSeconds } = signed
  const timestamp = String(timestampSeconds)
  const secrets = previousSecret === null ? [secret] : [secret, previousSecret]
  return {
    'X-Service-Signature-Timestamp': timestamp,
    'X-Service-Signature-V1': ours(signed, secret),
    ...(previousSecret === null ? {} : { 'X-Service-Signature-V1-Previous': ours(signed, previousSecret) }),
    'webhook-id': deliveryId,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map(one => `v1,${standard(signed, one)}`).join(' '),
  }
}

function ours({ body, timestampSeconds }: Signed, secret: string): string {
  return createHmac('sha256', secret).update(`${timestampSeconds}.`).update(body).digest('hex')
}

function standard({ deliveryId, body, timestampSeconds }: Signed, secret: string): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
  return createHmac('sha256', key).update(`${deliveryId}.${timestampSeconds}.`).update(body).digest('base64')
}
