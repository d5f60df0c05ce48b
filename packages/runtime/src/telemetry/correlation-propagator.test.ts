import { defaultTextMapGetter, defaultTextMapSetter, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { suppressTracing } from '@opentelemetry/core'
import { asPrivate, holderOf, withHolder } from '../observability/trace-context.ts'
import { correlationPropagator } from './correlation-propagator.ts'

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const id = 'corr_01jd0000000000000000000000'
const strangers = new WeakSet<object>()
const propagator = correlationPropagator(strangers)
const extract = (carrier: unknown) => propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter)

function inject(context = ROOT_CONTEXT) {
  const carrier: Record<string, string> = {}
  propagator.inject(context, carrier, defaultTextMapSetter)
  return carrier
}

test('the propagator injects the trace context and correlation id that it extracted', () => {
  expect(inject(extract({ traceparent, baggage: `correlation_id=${id}` }))).toEqual({
    traceparent,
    baggage: `correlation_id=${id}`,
  })
})

test.each([
  [`correlation_id=${id}`, id],
  [`user=1 , correlation_id=${id};ttl=3,x=2`, id],
  [[`correlation_id=${id}`], id],
  [`xcorrelation_id=${id}`, undefined],
  ['correlation_id=corr_short', undefined],
  [`correlation_id=${id}0`, undefined],
  [`correlation_id=${id.toUpperCase()}`, undefined],
  ['correlation_id=corr_01jd000000000000000000000u', undefined],
  [null, undefined],
  [7, undefined],
])('the baggage %p contains the correlation id %p', (baggage, expected) => {
  expect(holderOf(extract({ baggage }))?.correlation_id).toBe(expected)
})

test.each([null, undefined, 'text', {}])('an unusable carrier (%p) creates an empty correlation holder', carrier => {
  const context = extract(carrier)
  expect(holderOf(context)).toEqual({})
  expect(trace.getSpanContext(context)).toBeUndefined()
})

test('two extractions of one carrier do not share a correlation holder', () => {
  const carrier = { traceparent }
  expect(holderOf(extract(carrier))).not.toBe(holderOf(extract(carrier)))
})

test('an untrusted carrier starts a new trace', () => {
  const carrier = { traceparent, baggage: `correlation_id=${id}` }
  strangers.add(carrier)
  expect(inject(extract(carrier))).toEqual({})
})

test('nothing is injected in a private context or while spans are exported', () => {
  const context = withHolder(extract({ traceparent }), { correlation_id: id })
  expect(inject(asPrivate(context))).toEqual({})
  expect(inject(suppressTracing(context))).toEqual({})
})
