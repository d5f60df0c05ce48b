import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

export type Environment = 'sandbox' | 'production'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 32
const checksumLength = 6
const prefixes: Record<Environment, string> = { sandbox: 'vk_test_', production: 'vk_live_' }
const shape = new RegExp(`^[0-9A-Za-z]{${randomLength + checksumLength}}$`)

/** Makes an API key: the environment's prefix, 32 random base62 characters (190 bits) and a checksum. */
export function newApiKey(environment: Environment): string {
  const random = Array.from({ length: randomLength }, () => alphabet.charAt(randomInt(alphabet.length))).join('')
  return withChecksum(prefixes[environment] + random)
}

/** Tells whether a text is a key of this environment, judging by the text alone: a typo never reaches the database. */
export function isApiKey(environment: Environment, text: string): boolean {
  const prefix = prefixes[environment]
  if (!text.startsWith(prefix) || !shape.test(text.slice(prefix.length))) return false
  return withChecksum(text.slice(0, -checksumLength)) === text
}

/** What may be shown of a key: its prefix and its last four characters. */
export function maskedApiKey(key: string): string {
  return `${key.slice(0, prefixes.sandbox.length)}****${key.slice(-4)}`
}

/** The CRC-32 of all that comes before, the prefix included, in base62: by it a scanner tells a key from a look-alike. */
function withChecksum(text: string): string {
  let rest = crc32(text)
  let checksum = ''
  for (let i = 0; i < checksumLength; i++) {
    checksum = alphabet.charAt(rest % alphabet.length) + checksum
    rest = Math.floor(rest / alphabet.length)
  }
  return text + checksum
}
