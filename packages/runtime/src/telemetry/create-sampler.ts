import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'

/** The samplers that the OpenTelemetry specification names. A parent-based one follows the caller's decision. */
const samplers: Record<string, (ratio: number) => Sampler> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: ratio => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: ratio => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
}

/**
 * Creates the sampler that OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG describe; by default,
 * every trace is kept that its caller keeps. Throws if a setting is invalid.
 */
export function createSampler({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: arg }: NodeJS.ProcessEnv): Sampler {
  const create = samplers[name || 'parentbased_always_on']
  if (!create) throw new Error(`OTEL_TRACES_SAMPLER: expected one of ${Object.keys(samplers).join(', ')}`)
  const ratio = Number(arg || 1)
  if (!(ratio >= 0 && ratio <= 1)) throw new Error('OTEL_TRACES_SAMPLER_ARG: expected a fraction between 0 and 1')
  return create(ratio)
}
