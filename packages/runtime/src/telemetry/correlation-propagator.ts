import { isId } from '@cobro/contracts'
import type { Context, TextMapGetter, TextMapPropagator, TextMapSetter } from '@opentelemetry/api'
import { isTracingSuppressed, W3CTraceContextPropagator } from '@opentelemetry/core'
import { holderOf, isPrivate, withHolder } from './trace-context.ts'

const baggageEntry = /(?:^|,)\s*correlation_id=([^\s,;]+)/

/**
 * Carries W3C trace context and, as baggage, the correlation id; no other baggage enters or leaves. Every extraction opens a fresh
 * holder. A carrier among `strangers` is not believed: what it starts is a new trace.
 */
export function correlationPropagator(strangers: WeakSet<object>): TextMapPropagator {
  const traceContext = new W3CTraceContextPropagator()
  return {
    fields: () => [...traceContext.fields(), 'baggage'],
    inject(context: Context, carrier: unknown, setter: TextMapSetter) {
      if (isPrivate(context) || isTracingSuppressed(context)) return
      traceContext.inject(context, carrier, setter)
      const id = holderOf(context)?.correlation_id
      if (id) setter.set(carrier, 'baggage', `correlation_id=${id}`)
    },
    extract(context: Context, carrier: unknown, getter: TextMapGetter) {
      if (typeof carrier !== 'object' || carrier === null || strangers.has(carrier)) return withHolder(context, {})
      const [, id] = baggageEntry.exec(String(getter.get(carrier, 'baggage') ?? '')) ?? []
      return withHolder(traceContext.extract(context, carrier, getter), isId('corr', id) ? { correlation_id: id } : {})
    },
  }
}
