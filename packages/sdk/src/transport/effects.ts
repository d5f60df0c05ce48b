import { fieldOf } from './answer.ts'
import { ApiError, type CobroError } from './errors.ts'
import type { OperationRow } from './operation-row.ts'

/** What Node reports before anything was sent; those that an open connection can report too, only of connecting. */
const neverSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])
const whileConnecting = new Set(['EHOSTUNREACH', 'ENETUNREACH'])

/** Returns the code of a failed `fetch` that sent nothing; undefined if the call may have arrived. */
export function codeOf(error: unknown): string | undefined {
  const cause = fieldOf(error, 'cause')
  const code = String(fieldOf(cause, 'code') ?? '')
  const isEarly = neverSent.has(code) || (whileConnecting.has(code) && fieldOf(cause, 'syscall') === 'connect')
  return isEarly ? code : undefined
}

/** Returns whether an attempt that failed may have had its effect. */
export function leavesUnknown([, method]: OperationRow, error: CobroError): boolean {
  if (method === 'GET') return false
  if (!(error instanceof ApiError)) return error.outcomeUnknown
  const { status, code, retryAfterSeconds } = error
  // Below 400, the answer could not be read.
  if (status < 400) return true
  // A 503 too: the gateway sends it if it cannot record a call, whose effect has then happened.
  if (status >= 500) return code !== 'processing_error'
  // A 409 that asks to wait: another call with the same key is running.
  return status === 409 && retryAfterSeconds !== undefined
}
