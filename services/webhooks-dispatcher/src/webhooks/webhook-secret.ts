import { randomBytes } from 'node:crypto'

/** Makes a signing secret: `whsec_` and 32 random bytes in base64, as the Standard Webhooks libraries take it. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** A secret as it may be shown: enough to tell one from another. */
export function maskSecret(secret: string): string {
  return `whsec_…${secret.slice(-4)}`
}
