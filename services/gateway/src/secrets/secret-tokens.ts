import { createHash, randomBytes } from 'node:crypto'

const prefixes = { refresh: 'vrt_', setup: 'vst_' } as const

/** Makes a token of 256 random bits, for whoever is told it once. By its prefix it is known where it does not belong. */
export function newSecretToken(use: keyof typeof prefixes): string {
  return prefixes[use] + randomBytes(32).toString('base64url')
}

/** What of a token is stored. A random one needs neither salt nor cost. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
