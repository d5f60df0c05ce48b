import { type Context, createContextKey } from '@opentelemetry/api'

/**
 * Holds the correlation id of a call, message or scheduled task. All spans of a local root share
 * it, because the id is often read from a row after the server and first database spans have begun or ended.
 */
export interface CorrelationHolder {
  correlation_id?: string
}

// OpenTelemetry creates these keys with Symbol.for, so all copies of this module in a process share them.
const holderKey = createContextKey('cobro.correlation_holder')
const privateKey = createContextKey('cobro.private')
const pathlessKey = createContextKey('cobro.pathless')

export const holderOf = (context: Context) => context.getValue(holderKey) as CorrelationHolder | undefined
export const withHolder = (context: Context, holder: CorrelationHolder) => context.setValue(holderKey, holder)

/** Returns whether ids must not leave the process from this context. */
export const isPrivate = (context: Context) => context.getValue(privateKey) === true
export const asPrivate = (context: Context) => context.setValue(privateKey, true)

/** Returns whether spans of this context record only the origin of a URL. */
export const isPathless = (context: Context) => context.getValue(pathlessKey) === true
export const asPathless = (context: Context) => context.setValue(pathlessKey, true)
