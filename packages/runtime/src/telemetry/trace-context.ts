import { type Context, createContextKey } from '@opentelemetry/api'

/**
 * What a call, message or clock tick turned out to be about. All spans of one local root share the same object, because the id is
 * often read from a row only after the server's span and the first database spans have begun or even ended.
 */
export interface CorrelationHolder {
  correlation_id?: string
}

// OpenTelemetry makes these keys with Symbol.for, so every copy of this module in a process means the same ones.
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

/** Whether spans of this context say no more of an address than whose it is. */
export function isPathless(context: Context): boolean {
  return context.getValue(pathlessKey) === true
}

export function asPathless(context: Context): Context {
  return context.setValue(pathlessKey, true)
}
