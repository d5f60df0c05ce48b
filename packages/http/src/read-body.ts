import { ApiError, hasCardNumber } from '@cobro/contracts'
import type { Request } from 'express'

/** The largest request body, in bytes. */
export const maxBodyBytes = 256 * 1024

const maxDepth = 32
const forbiddenKeys = new Set(['__proto__'])

/** Parses the body that was read as raw bytes; undefined if it is empty. */
export function readBody(request: Request): unknown {
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  if (bytes.length === 0) return undefined
  if (!isJson(request.headers['content-type'])) {
    throw new ApiError('unsupported_media_type', 'expected Content-Type: application/json')
  }
  const value = parseJson(bytes)
  rejectForbidden(value, '', 0)
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

/** Rejects card numbers, characters PostgreSQL cannot store, forbidden keys and deep nesting. */
function rejectForbidden(value: unknown, at: string, depth: number): void {
  if (depth > maxDepth) throw new ApiError('invalid_request', `the body is nested deeper than ${maxDepth} levels`)
  if (typeof value === 'string' || typeof value === 'number') rejectText(String(value), at)
  if (typeof value !== 'object' || value === null) return
  for (const [key, child] of Object.entries(value)) {
    rejectText(key, at)
    if (forbiddenKeys.has(key)) throw new ApiError('invalid_request', `${at || 'body'}: a key is not allowed`)
    if (!isClabe(key, child)) rejectForbidden(child, at ? `${at}.${key}` : key, depth + 1)
  }
}

/** A CLABE (bank account number) has as many digits as some cards; its own schema checks it. */
function isClabe(key: string, value: unknown): boolean {
  return key === 'clabe' && typeof value === 'string' && /^\d{18}$/.test(value)
}

/** Rejects a text of a body or query. The error names the field and never repeats the text. */
export function rejectText(text: string, at: string): void {
  if (hasCardNumber(text)) throw new ApiError('invalid_request', `${at || 'body'}: card numbers are not accepted here`)
  if (text.includes('\0') || !text.isWellFormed())
    throw new ApiError('invalid_request', `${at || 'body'}: expected well-formed text`)
}
