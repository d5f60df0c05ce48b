import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { secretPrefixes } from '@cobro/contracts'
import type { Environment } from '@cobro/runtime'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 32
const checksumLength = 6
const prefixes: Record<Environment, string> = {
  sandbox: secretPrefixes.sandboxApiKey,
  production: secretPrefixes.productionApiKey,
}
const shape = new RegExp(`^[0-9A-Za-z]{${randomLength + checksumLength}}$`)

/** Generates a key: environment prefix, 32 random base62 characters (190 bits) and a checksum. */
export function newApiKey(environment: Environment): string {
  const random = Array.from({ length: randomLength }, () => alphabet.charAt(randomInt(alphabet.length))).join('')
  return withChecksum(prefixes[environment] + random)
}

/** Returns whether a text has the form and checksum of this environment's keys, without a query. */
export function isApiKey(environment: Environment, text: string): boolean {
  const prefix = prefixes[environment]
  if (!text.startsWith(prefix) || !shape.test(text.slice(prefix.length))) return false
  return withChecksum(text.slice(0, -checksumLength)) === text
}

/** Masks a key for display: its prefix and its last four characters remain. */
export function maskedApiKey(key: string): string {
  return `${key.slice(0, prefixes.sandbox.length)}****${key.slice(-4)}`
}

/** Appends the CRC-32 of the text with prefix, in base62. Secret scanners recognize keys by it. */
function withChecksum(text: string): string {
  let rest = crc32(text)
  let checksum = ''
  for (let i = 0; i < checksumLength; i++) {
    checksum = alphabet.charAt(rest % alphabet.length) + checksum
    rest = Math.floor(rest / alphabet.length)
  }
  return text + checksum
}
