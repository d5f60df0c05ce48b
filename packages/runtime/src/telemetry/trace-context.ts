import { type Context, createContextKey } from '@opentelemetry/api'

/**
 * Holds the correlation id of a call, message or scheduled task. All spans of one local root share the object, because the id is
 * often read from a row only after the server span and the first database spans have begun or even ended.
 */
export interface CorrelationHolder {
  correlation_id?: string
}

// OpenTelemetry creates these keys with Symbol.for, so all copies of this module in a process share them.
const holderKey = createContextKey('cobro.correlation_holder')
const privateKey = createContextKey('cobro.private')
const pathlessKey = createContextKey('cobro.pathless')

export function holderOf(context: Context): CorrelationHolder | undefined {
  return context.getValue(holderKey) as CorrelationHolder | undefined
}

export function withHolder(context: Context, holder: CorrelationHolder): Context {
  return context.setValue(holderKey, holder)
}

/** Whether ids must not leave the process from this context. */
export function isPrivate(context: Context): boolean {
  return context.getValue(privateKey) === true
}

export function asPrivate(context: Context): Context {
  return context.setValue(privateKey, true)
}

/** Whether spans of this context record only the origin of a URL. */
export function isPathless(context: Context): boolean {
  return context.getValue(pathlessKey) === true
}

export function asPathless(context: Context): Context {
  return context.setValue(pathlessKey, true)
}
