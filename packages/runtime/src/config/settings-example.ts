import { z } from 'zod'
import { port } from './config.ts'

/** Telemetry settings of every process. Telemetry reads them itself, before the service starts. */
const telemetrySettings = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url()
    .optional()
    .describe('The URL of the trace collector; unset: traces are not exported'),
  OTEL_EXPORTER_PROMETHEUS_PORT: port
    .optional()
    .describe('The port that serves metrics at /metrics; unset: no metrics'),
  METRICS_TOKEN: z
    .string()
    .optional()
    .describe('The bearer token of /metrics; unset: only private addresses may read it'),
  OTEL_TRACES_SAMPLER: z
    .string()
    .default('parentbased_always_on')
    .describe('The trace sampler; parentbased_traceidratio samples a fraction of the traces'),
  OTEL_TRACES_SAMPLER_ARG: z.string().optional().describe('The fraction of traces that the sampler keeps, such as 0.1'),
})

/**
 * Returns a service's example environment file: each setting with its description, required ones
 * empty, optional ones as comments with their defaults. Throws if a setting has no description.
 */
export function settingsExample(service: string, settings: z.ZodObject): string {
  const entries = Object.entries<z.ZodType>({ ...settings.shape, ...telemetrySettings.shape })
  const lines = entries.flatMap(([name, schema]) => {
    const description = schema.description
    if (!description) throw new Error(`The setting ${name} of ${service} has no description.`)
    const fallback = defaultOf(schema)
    const assignment = fallback === undefined ? `${name}=` : `# ${name}=${fallback}`
    return [`# ${description}`, assignment, '']
  })
  return [`# Settings of ${service}. Commented settings show their defaults.`, '', ...lines]
    .join('\n')
    .trimEnd()
    .concat('\n')
}

/** Returns a setting's default as text: empty if optional without one, undefined if required. */
function defaultOf(schema: z.ZodType): string | undefined {
  if (schema instanceof z.ZodOptional) return ''
  if (!(schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)) return undefined
  const { defaultValue } = schema.def
  return Array.isArray(defaultValue) ? defaultValue.join(',') : String(defaultValue)
}
