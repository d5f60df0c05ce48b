import { isNativeError } from 'node:util/types'

const awayCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  '57P01',
  '57P02',
  '57P03',
  // The server has ended a transaction that stood still, and the connection with it.
  '25P03',
  // Nothing may be written: after a failover to a standby that is not promoted yet, or by a provider whose disk is full.
  '25006',
  // Somebody holds a lock for longer than one is waited for.
  '55P03',
])
/**
 * Classes of codes: connections, but for what breaks their protocol, which is a fault of ours; resources that are used up (a full
 * disk, memory, connections); failures of the system itself.
 */
const awayClasses = /^(?:08(?!P01)|53|58)/
const awayTexts =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after|Query read timeout/

/**
 * Tells whether an error means that Postgres cannot be reached, is stopping or can write nothing now, rather than that it refused
 * something: what failed is to be tried again, and bears no blame.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return causesOf(error).some(cause => {
    const code = String((cause as { code?: unknown }).code ?? '')
    return awayCodes.has(code) || awayClasses.test(code) || awayTexts.test(cause.message)
  })
}

/** Tells whether a transaction may simply be run again: a deadlock or a serialization failure. */
export function isRetryable(error: unknown): boolean {
  return causesOf(error).some(cause => ['40001', '40P01'].includes(String((cause as { code?: unknown }).code)))
}

/** Tells whether a lock was not to be had in the time that it was waited for. */
export function isLockTimeout(error: unknown): boolean {
  return causesOf(error).some(cause => String((cause as { code?: unknown }).code) === '55P03')
}

/** Tells whether the server gave a statement up because it took too long. */
export function isStatementTimeout(error: unknown): boolean {
  return causesOf(error).some(cause => String((cause as { code?: unknown }).code) === '57014')
}

/** Tells whether a unique or check constraint of that name refused a row. */
export function violatesConstraint(error: unknown, constraint: string): boolean {
  return causesOf(error).some(cause => {
    const { code, constraint: name } = cause as { code?: unknown; constraint?: unknown }
    return (code === '23505' || code === '23514') && name === constraint
  })
}

/** `instanceof` would not know the errors of Node itself again where code runs in a context of its own, as in Jest. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = []
  for (let cause = error; isNativeError(cause) && causes.length < 8; cause = cause.cause) {
    causes.push(cause)
    if ('errors' in cause && Array.isArray(cause.errors)) causes.push(...cause.errors.filter(isNativeError))
  }
  return causes
}
