import { ApiError, clabe, describeValidationErrors, hasCardNumber } from '@cobro/contracts'
import type { Request } from 'express'
import type { z } from 'zod'

const maxDepth = 32
/** Several times what the largest body needs. Validating each of a hundred thousand wrong values takes 75 ms. */
const maxValues = 5_000
const forbiddenKeys = new Set(['__proto__'])

/**
 * Returns the JSON body of a request, validated. Throws `invalid_request` for card data, too. A text
 * that is longer than its field is rejected without being searched.
 */
export function readBody<T>(request: Request, schema: z.ZodType<T>): T {
  const value = readJson(request)
  const { data, error, success } = schema.safeParse(value, { reportInput: true })
  if (!error?.issues.some(isTooLong)) rejectCardData(value)
  if (success) return data
  throw new ApiError('invalid_request', describeValidationErrors(error))
}

/** Whether a validation error is about a text that is too long. */
export function isTooLong(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'too_big' && issue.origin === 'string'
}

/** Parses the body that was read as raw bytes; undefined if it is empty. Not validated: see `readBody`. */
export function readJson(request: Request): unknown {
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  if (bytes.length === 0) return undefined
  if (!isJson(request.headers['content-type'])) {
    throw new ApiError('unsupported_media_type', 'expected Content-Type: application/json')
  }
  const value = parseJson(bytes)
  rejectForbidden(value, '', { depth: 0, counted: { values: 0 } })
  return value
}

function isJson(contentType = ''): boolean {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  const charset = parameters.map(text => text.trim()).find(text => text.startsWith('charset='))
  return type.trim() === 'application/json' && (charset === undefined || /^charset="?utf-8"?$/.test(charset))
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new ApiError('invalid_request', 'the body is not JSON')
  }
}

/** How deep a value is in its body, and how many values came before it. */
interface Place {
  depth: number
  counted: { values: number }
}

/** Rejects characters PostgreSQL cannot store, forbidden keys, deep nesting and very many values. */
function rejectForbidden(value: unknown, at: string, { depth, counted }: Place): void {
  if (++counted.values > maxValues) throw new ApiError('invalid_request', `the body has more than ${maxValues} values`)
  if (depth > maxDepth) throw new ApiError('invalid_request', `the body is nested deeper than ${maxDepth} levels`)
  if (typeof value === 'string') rejectMalformed(value, at)
  if (typeof value !== 'object' || value === null) return
  for (const [key, child] of Object.entries(value)) {
    rejectMalformed(key, at)
    if (forbiddenKeys.has(key)) throw rejected(at, 'a key is not allowed')
    rejectForbidden(child, pathOf(at, key), { depth: depth + 1, counted })
  }
}

/** Rejects card numbers, security codes and track data in keys and values. */
function rejectCardData(value: unknown): void {
  rejectCardNumbers(value, '')
  rejectSecurityCodes(value, '', { levels: 0, texts: 0 })
}

function rejectCardNumbers(value: unknown, at: string): void {
  if (typeof value === 'string' || typeof value === 'number') rejectCardNumber(String(value), at)
  if (typeof value !== 'object' || value === null) return
  for (const [key, child] of Object.entries(value)) {
    rejectCardNumber(key, at)
    const path = pathOf(at, key)
    // A CLABE (bank account number) has as many digits as some cards.
    if (path !== 'bank.clabe' || !clabe.safeParse(child).success) rejectCardNumbers(child, path)
  }
}

/** How deep a value is in its body or text, and in how many texts that are JSON. */
interface Depth {
  levels: number
  texts: number
}

/** Texts in JSON that are JSON themselves are searched to this depth. */
const maxTexts = 3
/** The size of metadata. */
const maxJsonLength = 16 * 1024

/** Rejects security codes and track data, also in texts that are JSON. */
function rejectSecurityCodes(value: unknown, at: string, { levels, texts }: Depth): void {
  if (typeof value === 'string') {
    const parsed = texts < maxTexts ? jsonIn(value) : undefined
    if (parsed === undefined) return
    // The escapes of JSON may stand for digits.
    rejectCardNumber(value, at, 'json')
    rejectSecurityCodes(parsed, at, { levels: 0, texts: texts + 1 })
  }
  if (typeof value !== 'object' || value === null || levels > maxDepth) return
  const isList = Array.isArray(value)
  for (const [key, child] of Object.entries(value)) {
    if (!isList && secretKeys.has(plainKey(key)) && [child].flat().some(looksSecret))
      throw rejected(pathOf(at, key), 'security codes and track data of cards are not accepted here')
    if (typeof child === 'object' || typeof child === 'string')
      rejectSecurityCodes(child, pathOf(at, key), { levels: levels + 1, texts })
  }
}

/** Returns the object or list that a text is as JSON, or undefined if it is none. */
function jsonIn(text: string): unknown {
  if (text.length > maxJsonLength || !/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const secretKeys = new Set(['cvv', 'cvc', 'cvv2', 'cvc2', 'track1', 'track2'])
const maxKeyLength = 32
const maxTrackLength = 128

/**
 * Cyrillic and Greek letters in small form that look like those of the keys, or whose capitals do, from
 * https://www.unicode.org/Public/security/latest/confusables.txt. NFKD turns lunate sigmas into sigmas.
 */
const lookAlikes = new Map(
  Object.entries({
    ...{ c: '\u0441\u03c2\u03c3', v: '\u0475\u03bd', t: '\u0442\u03c4' },
    ...{ r: '\u0433', a: '\u0430\u03b1', k: '\u043a\u03ba' },
  }).flatMap(([letter, others]) => [...others].map(other => [other, letter] as const)),
)

const plainKey = (key: string) =>
  key.length > maxKeyLength
    ? ''
    : key
        .normalize('NFKD')
        .toLowerCase()
        .replaceAll(/[^a-z\d]/g, character => lookAlikes.get(character) ?? '')

/** Whether a value looks like a security code, however it is punctuated, or the track of a magnetic stripe. */
function looksSecret(value: unknown): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false
  const text = String(value).slice(0, maxTrackLength).normalize('NFKC').trim()
  const code = text.replaceAll(/[^\p{L}\p{N}]/gu, '')
  return /^(?:cv[cv]2?)?\d{3,4}$/i.test(code) || /^[%;]?b?\d{12,19}[=^d]/i.test(text)
}

/** Rejects a text of a query or header. The error names the field and never repeats the text. */
export function rejectText(text: string, at: string): void {
  rejectCardNumber(text, at)
  rejectMalformed(text, at)
}

function rejectCardNumber(text: string, at: string, form?: 'json'): void {
  if (hasCardNumber(text, form)) throw rejected(at, cardNumberRejection)
}

/** Says what merchants can change if it is a number of their own. */
const cardNumberRejection =
  'card numbers are not accepted here; if this is none, put a letter between its digits, or two characters between numbers'

function rejectMalformed(text: string, at: string): void {
  if (text.includes('\0') || !text.isWellFormed()) throw rejected(at, 'expected well-formed text')
}

const rejected = (at: string, why: string) => new ApiError('invalid_request', `${at.slice(0, 100) || 'body'}: ${why}`)
const pathOf = (at: string, key: string) => (at ? `${at}.${key}` : key)
