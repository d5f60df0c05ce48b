import { z } from 'zod'
import { settingsExample } from './settings-example.ts'

test('says what each setting is for, telemetry’s included, which are required, and the defaults of the others', () => {
  const settings = z.object({
    URL: z.url().describe('Where it is'),
    WAITS: z.string().prefault('1,2').describe('How long'),
    LIST: z.array(z.string()).default(['a', 'b']).describe('Which'),
    LOUD: z.stringbool().default(false).describe('Whether'),
    MORE: z.string().optional().describe('What else'),
  })
  expect(settingsExample('shop', settings)).toBe(`# Settings of shop. What is commented out shows its default.

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

# A collector of traces; without it none are exported
# OTEL_EXPORTER_OTLP_ENDPOINT=

# The port that serves metrics at /metrics; unset: no metrics
# OTEL_EXPORTER_PROMETHEUS_PORT=

# Which traces are kept: parentbased_traceidratio keeps a part of them
# OTEL_TRACES_SAMPLER=parentbased_always_on

# The part of them, as 0.1
# OTEL_TRACES_SAMPLER_ARG=
`)
})

test('a setting that nobody described is an error', () => {
  expect(() => settingsExample('shop', z.object({ URL: z.url() }))).toThrow('The setting URL of shop is not described.')
})
