import { z } from 'zod'

/** Every id prefix and what it identifies. Those below the blank line are not in the API spec. */
export const idPrefixes = {
  mrc: 'merchant',
  usr: 'user',
  txn: 'transaction',
  cs: 'checkout session',
  pl: 'payment link',
  trm: 'terminal',
  suc: 'sucursal',
  key: 'API key',
  whk: 'webhook endpoint',
  whd: 'webhook delivery',
  evt: 'event',
  corr: 'payment lifecycle',
  req: 'request',

  pi: 'payment intent',
  pbl: 'payment block',
  cmd: 'command',
  rfd: 'refund',
  fee: 'fee rule',
  rsv: 'rolling reserve',
  stc: 'settlement configuration',
  stl: 'settlement',
  dsp: 'dispute',
  bal: 'balance snapshot',
  apr: 'approval',
  led: 'ledger entry',
  tok: 'card token at the acquirer',
} as const

export type IdPrefix = keyof typeof idPrefixes
export type Id<P extends IdPrefix> = `${P}_${string}`
/** The id of what a payer pays: a checkout session or a payment link. */
export type PayableId = Id<'cs' | 'pl'>

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const body = '[0-7][0-9a-hjkmnp-tv-z]{25}'
const patterns = Object.fromEntries(
  Object.keys(idPrefixes).map(prefix => [prefix, new RegExp(`^${prefix}_${body}$`)]),
) as Record<IdPrefix, RegExp>

/**
 * Makes an id: `<prefix>_` and a 26-character lower-case ULID (48 bits of ms, 80 from the CSPRNG).
 * Ids sort by time and cannot be guessed, so a hosted URL may contain one as its capability.
 */
export function newId<P extends IdPrefix>(prefix: P, atMs: number = Date.now()): Id<P> {
  return `${prefix}_${encodeTime(atMs)}${randomDigits()}`
}

/** Returns the id of `prefix` with the time and randomness of `id`: each yields the other. */
export function siblingId<P extends IdPrefix>(prefix: P, id: string): Id<P> {
  return `${prefix}_${id.slice(id.indexOf('_') + 1)}`
}

/** Returns when an id was made, in milliseconds since the epoch. */
export function idTimeMs(id: string): number {
  const start = id.indexOf('_') + 1
  return [...id.slice(start, start + 10)].reduce((ms, digit) => ms * 32 + alphabet.indexOf(digit), 0)
}

/** Returns the smallest id of a prefix made at that moment or later: a bound for ranges by time. */
export function lowestId<P extends IdPrefix>(prefix: P, atMs: number): Id<P> {
  return `${prefix}_${encodeTime(atMs)}${'0'.repeat(16)}`
}

/** Returns whether `value` is a well-formed id of that prefix. It need not exist. */
export function isId<P extends IdPrefix>(prefix: P, value: unknown): value is Id<P> {
  return typeof value === 'string' && patterns[prefix].test(value)
}

const schemas = Object.fromEntries(
  Object.entries(idPrefixes).map(([prefix, kind]) => [prefix, schemaOf(prefix as IdPrefix, kind)]),
) as Record<IdPrefix, z.ZodString>

/** Returns the schema of an id in a body, query or row. */
export function id<P extends IdPrefix>(prefix: P): z.ZodType<Id<P>, string> {
  return schemas[prefix] as z.ZodType<Id<P>, string>
}

/** Returns the schema of an id that one of our services stored or sent; it is not checked. */
export function storedId<P extends IdPrefix>(): z.ZodType<Id<P>, string> {
  return z.string() as z.ZodType<Id<P>, string>
}

function schemaOf(prefix: IdPrefix, kind: string): z.ZodString {
  const words = kind.split(' ').map(word => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
  return z
    .string()
    .regex(patterns[prefix], { error: `expected an id that starts with ${prefix}_` })
    .meta({
      id: `${words.join('')}Id`,
      description: `The id of ${/^[aeA]/.test(kind) ? 'an' : 'a'} ${kind}.`,
      examples: [`${prefix}_01kdvc4x2m8p6q7r9s0t1v2w3x`],
    })
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

/** Random bytes for the next ids: to ask the system for 16 takes almost as long as for many. */
const randomBytes = new Uint8Array(1_024)
let usedBytes = randomBytes.length

/** Returns 80 random bits: 16 digits of five bits each. */
function randomDigits(): string {
  if (usedBytes === randomBytes.length) {
    crypto.getRandomValues(randomBytes)
    usedBytes = 0
  }
  let text = ''
  for (const byte of randomBytes.subarray(usedBytes, usedBytes + 16)) text += alphabet.charAt(byte % 32)
  usedBytes += 16
  return text
}
