import { z } from 'zod'
import { port } from './config.ts'

/** What every process is told besides: telemetry reads it by itself, before the service begins. */
const telemetrySettings = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional().describe('A collector of traces; without it none are exported'),
  OTEL_EXPORTER_PROMETHEUS_PORT: port
    .optional()
    .describe('The port that serves metrics at /metrics; unset: no metrics'),
  OTEL_TRACES_SAMPLER: z
    .string()
    .default('parentbased_always_on')
    .describe('Which traces are kept: parentbased_traceidratio keeps a part of them'),
  OTEL_TRACES_SAMPLER_ARG: z.string().optional().describe('The part of them, as 0.1'),
})

/**
 * Writes down a service's settings as an environment file: what each is for, those that are required empty, the others
 * as comments with their defaults. The words are the schema's own descriptions; a setting without one is an error.
 */
export function settingsExample(service: string, settings: z.ZodObject): string {
  const entries = Object.entries<z.ZodType>({ ...settings.shape, ...telemetrySettings.shape })
  const lines = entries.flatMap(([name, schema]) => {
    const words = schema.description
    if (!words) throw new Error(`The setting ${name} of ${service} is not described.`)
    const fallback = defaultOf(schema)
    const assignment = fallback === undefined ? `${name}=` : `# ${name}=${fallback}`
    return [`# ${words}`, assignment, '']
  })
  return [`# Settings of ${service}. What is commented out shows its default.`, '', ...lines]
    .join('\n')
    .trimEnd()
    .concat('\n')
}

/** A default as it would be written; an empty text for a setting that may be left out and then means nothing. */
function defaultOf(schema: z.ZodType): string | undefined {
  if (schema instanceof z.ZodOptional) return ''
  if (!(schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)) return undefined
  const { defaultValue } = schema.def
  return Array.isArray(defaultValue) ? defaultValue.join(',') : String(defaultValue)
}
