import { createHash, randomBytes } from 'node:crypto'
import { secretPrefixes } from '@cobro/contracts'

const prefixes = { refresh: secretPrefixes.refreshToken, setup: secretPrefixes.setupToken } as const

/** Generates a token of 256 random bits. Redaction recognizes it by its prefix. */
export function newSecretToken(use: keyof typeof prefixes): string {
  return prefixes[use] + randomBytes(32).toString('base64url')
}

/** Hashes a token for storage. Random tokens need no salt and no slow hash. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
