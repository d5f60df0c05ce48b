import { randomBytes } from 'node:crypto'
import { secretPrefixes } from '@cobro/contracts'

/** Generates a signing secret as in Standard Webhooks: `whsec_` and 32 random bytes in base64. */
export function newSecret(): string {
  return `${secretPrefixes.webhookSecret}${randomBytes(32).toString('base64')}`
}

/** Returns a masked secret, which shows the last four characters. */
export function maskSecret(secret: string): string {
  return `${secretPrefixes.webhookSecret}…${secret.slice(-4)}`
}
