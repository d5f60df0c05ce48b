import { ROOT_CONTEXT, SpanKind, TraceFlags, trace } from '@opentelemetry/api'
import { SamplingDecision } from '@opentelemetry/sdk-trace'
import { createSampler } from './create-sampler.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'

/** Returns whether a trace is kept that has no caller, or one that keeps it or not. */
function keeps(settings: NodeJS.ProcessEnv, caller?: { keeps: boolean }): boolean {
  const traceFlags = caller?.keeps ? TraceFlags.SAMPLED : TraceFlags.NONE
  const parent = { traceId, spanId: 'b7ad6b7169203331', traceFlags, isRemote: true }
  const context = caller ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
  const { decision } = createSampler(settings).shouldSample(context, traceId, 'call', SpanKind.SERVER, {}, [])
  return decision === SamplingDecision.RECORD_AND_SAMPLED
}

test.each([
  ['always_on', undefined, { alone: true, kept: true, dropped: true }],
  ['always_off', undefined, { alone: false, kept: false, dropped: false }],
  ['traceidratio', '0', { alone: false, kept: false, dropped: false }],
  ['traceidratio', undefined, { alone: true, kept: true, dropped: true }],
  ['parentbased_always_on', undefined, { alone: true, kept: true, dropped: false }],
  ['parentbased_always_off', undefined, { alone: false, kept: true, dropped: false }],
  ['parentbased_traceidratio', '0', { alone: false, kept: true, dropped: false }],
  ['', '', { alone: true, kept: true, dropped: false }],
  [undefined, undefined, { alone: true, kept: true, dropped: false }],
])(
  'the sampler %p with the argument %p keeps traces alone, kept and dropped by a caller: %p',
  (name, arg, expected) => {
    const settings = { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: arg }
    const kept = (caller?: { keeps: boolean }) => keeps(settings, caller)
    expect({ alone: kept(), kept: kept({ keeps: true }), dropped: kept({ keeps: false }) }).toEqual(expected)
  },
)

test('an unknown sampler is rejected', () => {
  expect(() => createSampler({ OTEL_TRACES_SAMPLER: 'some' })).toThrow('OTEL_TRACES_SAMPLER: expected one of always_on')
})

test.each(['-0.1', '1.1', 'half'])('the fraction %p is rejected', arg => {
  expect(() => createSampler({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: arg })).toThrow(
    'OTEL_TRACES_SAMPLER_ARG: expected a fraction between 0 and 1',
  )
})
