import { createHash, randomBytes } from 'node:crypto'

/** Makes a token of 256 random bits, for whoever is told it once. */
export function newSecretToken(): string {
  return randomBytes(32).toString('base64url')
}

/** What of a token is stored. A random one needs neither salt nor cost. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
