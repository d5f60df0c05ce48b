import { z } from 'zod'
import { settingsExample } from './settings-example.ts'

test('an example environment file describes every setting, including telemetry, and shows which are required and the defaults of the others', () => {
  const settings = z.object({
    URL: z.url().describe('Where it is'),
    WAITS: z.string().prefault('1,2').describe('How long'),
    LIST: z.array(z.string()).default(['a', 'b']).describe('Which'),
    LOUD: z.stringbool().default(false).describe('Whether'),
    MORE: z.string().optional().describe('What else'),
  })
  expect(settingsExample('shop', settings)).toBe(`# Settings of shop. Commented settings show their defaults.

# Where it is
URL=

# How long
# WAITS=1,2

# Which
# LIST=a,b

# Whether
# LOUD=false

# What else
# MORE=

# The URL of the trace collector; unset: traces are not exported
# OTEL_EXPORTER_OTLP_ENDPOINT=

# The port that serves metrics at /metrics; unset: no metrics
# OTEL_EXPORTER_PROMETHEUS_PORT=

# The bearer token of /metrics; unset: only private addresses may read it
# METRICS_TOKEN=

# The trace sampler; parentbased_traceidratio samples a fraction of the traces
# OTEL_TRACES_SAMPLER=parentbased_always_on

# The fraction of traces that the sampler keeps, such as 0.1
# OTEL_TRACES_SAMPLER_ARG=
`)
})

test('an example environment file rejects a setting without a description', () => {
  expect(() => settingsExample('shop', z.object({ URL: z.url() }))).toThrow(
    'The setting URL of shop has no description.',
  )
})
