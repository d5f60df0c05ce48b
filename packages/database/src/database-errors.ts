import { isNativeError } from 'node:util/types'
import { isCertificateError } from '@cobro/runtime'

const unavailableCodes = new Set([
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
  // The server ended an idle transaction and its connection (idle_in_transaction_session_timeout).
  '25P03',
  // Read-only: after a failover to a standby that is not promoted yet, or at a provider whose disk is full.
  '25006',
  // Another session held a lock for longer than the lock timeout.
  '55P03',
])
/**
 * Classes of SQLSTATE codes: 08 connection failures, except protocol violations, see `isPoolerFailure`;
 * 53 exhausted resources (disk, memory, connections); 58 system errors.
 */
const unavailableClasses = /^(?:08(?!P01)|53|58)/
const unavailableMessages =
  /The server does not support SSL connections|There was an error establishing an SSL connection|Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after|Query read timeout/

/**
 * Returns whether an error means that Postgres is unreachable, stopping, read-only or cannot prove its
 * identity, as opposed to rejecting this statement. The failed work is not at fault and should be retried.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return causesOf(error).some(cause => {
    const code = String((cause as { code?: unknown }).code ?? '')
    if (unavailableCodes.has(code) || unavailableClasses.test(code) || isCertificateError(code)) return true
    return unavailableMessages.test(cause.message) || isPoolerFailure(cause)
  })
}

/** Returns whether the transaction can run again: after a deadlock, a serialization failure, or an outdated plan. */
export function isRetryable(error: unknown): boolean {
  return hasCode(error, '40001', '40P01') || isPlanOutdated(error)
}

/**
 * Returns whether a migration has changed the columns that a prepared statement returns
 * ("cached plan must not change result type"). The code alone stands for all unsupported features.
 */
export function isPlanOutdated(error: unknown): boolean {
  return causesOf(error).some(cause => {
    const { code, routine } = cause as { code?: unknown; routine?: unknown }
    return code === '0A000' && routine === 'RevalidateCachedQuery'
  })
}

/** Returns whether a statement was ignored because an earlier one of its transaction has failed. */
export function isTransactionAborted(error: unknown): boolean {
  return hasCode(error, '25P02')
}

/** Returns whether the server, or a pooler in front of it, does not understand what the client sends, such as a startup parameter. */
export function isProtocolViolation(error: unknown): boolean {
  return hasCode(error, '08P01') && !isDatabaseUnavailable(error)
}

/**
 * Returns whether PgBouncer could not reach the server, or is full or stopping. It calls each of its errors a protocol
 * violation, also that a statement took too long. Those of the server, which are bugs of ours, name the routine that found them.
 */
function isPoolerFailure(error: Error): boolean {
  const { code, routine } = error as { code?: unknown; routine?: unknown }
  return code === '08P01' && routine === undefined && !poolerRejections.test(error.message)
}

const poolerRejections = /startup parameter|query timeout|(?<!idle )transaction timeout/

/** Returns whether a lock could not be acquired within the lock timeout. */
export function isLockTimeout(error: unknown): boolean {
  return hasCode(error, '55P03')
}

/** Returns whether the server cancelled a statement because it took too long. */
export function isStatementTimeout(error: unknown): boolean {
  return hasCode(error, '57014')
}

/** Returns whether the unique or check constraint of that name rejected a row. */
export function violatesConstraint(error: unknown, constraint: string): boolean {
  return causesOf(error).some(cause => {
    const { code, constraint: name } = cause as { code?: unknown; constraint?: unknown }
    return (code === '23505' || code === '23514') && name === constraint
  })
}

function hasCode(error: unknown, ...codes: string[]): boolean {
  return causesOf(error).some(cause => codes.includes(String((cause as { code?: unknown }).code)))
}

/** Returns the error and its causes. `instanceof Error` fails across VM contexts, as in Jest. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = []
  for (let cause = error; isNativeError(cause) && causes.length < 8; cause = cause.cause) {
    causes.push(cause)
    if ('errors' in cause && Array.isArray(cause.errors)) causes.push(...cause.errors.filter(isNativeError))
  }
  return causes
}
