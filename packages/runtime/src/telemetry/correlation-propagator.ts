import { isId } from '@cobro/contracts'
import type { Context, TextMapGetter, TextMapPropagator, TextMapSetter } from '@opentelemetry/api'
import { isTracingSuppressed, W3CTraceContextPropagator } from '@opentelemetry/core'
import { lightContext } from '../observability/light-context.ts'
import { holderOf, isPrivate, withHolder } from '../observability/trace-context.ts'

const baggageEntry = /(?:^|,)\s*correlation_id=([^\s,;]+)/

/**
 * Propagates W3C trace context and, as baggage, only the correlation id. Every extraction creates a
 * new correlation holder. Ignores the headers in `untrusted`, so those requests start a new trace.
 */
export function correlationPropagator(untrusted: WeakSet<object>): TextMapPropagator {
  const traceContext = new W3CTraceContextPropagator()
  return {
    fields: () => [...traceContext.fields(), 'baggage'],
    inject(context: Context, carrier: unknown, setter: TextMapSetter) {
      if (isPrivate(context) || isTracingSuppressed(context)) return
      traceContext.inject(context, carrier, setter)
      const id = holderOf(context)?.correlation_id
      if (id) setter.set(carrier, 'baggage', `correlation_id=${id}`)
    },
    extract(given: Context, carrier: unknown, getter: TextMapGetter) {
      const context = lightContext(given)
      if (typeof carrier !== 'object' || carrier === null || untrusted.has(carrier)) return withHolder(context, {})
      const [, id] = baggageEntry.exec(String(getter.get(carrier, 'baggage') ?? '')) ?? []
      return withHolder(traceContext.extract(context, carrier, getter), isId('corr', id) ? { correlation_id: id } : {})
    },
  }
}
