import { z } from 'zod'

/** Every kind of id and what it names. Source: the API specification and the project's own additions below the blank line. */
export const idPrefixes = {
  mrc: 'merchant',
  usr: 'user',
  txn: 'transaction',
  cs: 'checkout session',
  pl: 'payment link',
  trm: 'terminal',
  suc: 'branch (sucursal)',
  key: 'API key record',
  whk: 'webhook endpoint',
  whd: 'webhook delivery',
  evt: 'event',
  corr: 'correlation id',
  req: 'request id',

  pi: 'payment intent',
  cmd: 'command',
  rfd: 'refund',
  fee: 'fee rule',
  rsv: 'rolling reserve',
  stc: 'settlement configuration',
  stl: 'settlement',
  dsp: 'dispute',
  bal: 'balance snapshot',
  led: 'ledger entry',
  tok: 'card token at the acquirer',
} as const

export type IdPrefix = keyof typeof idPrefixes
export type Id<P extends IdPrefix> = `${P}_${string}`

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const body = '[0-7][0-9a-hjkmnp-tv-z]{25}'
const patterns = Object.fromEntries(
  Object.keys(idPrefixes).map(prefix => [prefix, new RegExp(`^${prefix}_${body}$`)]),
) as Record<IdPrefix, RegExp>

/**
 * Makes an id: `<prefix>_` and a lower-case ULID (48 bits of milliseconds, 80 bits from the CSPRNG), 26 characters.
 * Ids sort by time and cannot be guessed, so a hosted URL may carry one as its capability.
 */
export function newId<P extends IdPrefix>(prefix: P, atMs: number = Date.now()): Id<P> {
  return `${prefix}_${encodeTime(atMs)}${encodeRandom(crypto.getRandomValues(new Uint8Array(10)))}`
}

/** Gives the id of `prefix` that bears the same time and randomness as `id`, so that one follows from the other. */
export function siblingId<P extends IdPrefix>(prefix: P, id: string): Id<P> {
  return `${prefix}_${id.slice(id.indexOf('_') + 1)}`
}

/** The moment that an id carries, in milliseconds since the epoch. */
export function idTimeMs(id: string): number {
  const start = id.indexOf('_') + 1
  return [...id.slice(start, start + 10)].reduce((ms, digit) => ms * 32 + alphabet.indexOf(digit), 0)
}

/** The smallest id of a prefix that carries that moment or a later one: where a range of ids by time begins or ends. */
export function lowestId<P extends IdPrefix>(prefix: P, atMs: number): Id<P> {
  return `${prefix}_${encodeTime(atMs)}${'0'.repeat(16)}`
}

/** Tells whether `value` is a well-formed id of that prefix. Says nothing about whether it exists. */
export function isId<P extends IdPrefix>(prefix: P, value: unknown): value is Id<P> {
  return typeof value === 'string' && patterns[prefix].test(value)
}

/** Schema of an id in a body, query or row. */
export function id(prefix: IdPrefix) {
  return z.string().regex(patterns[prefix], { error: `expected an id that starts with ${prefix}_` })
}

function encodeTime(atMs: number): string {
  let rest = Math.floor(atMs)
  let text = ''
  for (let i = 0; i < 10; i++) {
    text = alphabet.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

function encodeRandom(bytes: Uint8Array): string {
  let bits = 0n
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte)
  let text = ''
  for (let i = 0; i < 16; i++) {
    text = alphabet.charAt(Number(bits & 31n)) + text
    bits >>= 5n
  }
  return text
}
