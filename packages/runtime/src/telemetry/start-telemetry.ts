import { readFileSync } from 'node:fs'
import { getNumberFromEnv } from '@opentelemetry/core'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { OTLPTraceExporter as OtlpJsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as OtlpProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { envDetector, serviceInstanceIdDetector } from '@opentelemetry/resources'
import { createAllowListAttributesProcessor, type ViewOptions } from '@opentelemetry/sdk-metrics'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { BatchSpanProcessor, NoopSpanProcessor, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace'
import { correlationProcessor } from './correlation-processor.ts'
import { correlationPropagator } from './correlation-propagator.ts'
import { createInstrumentations } from './instrumentations.ts'
import { detectLostSpans, type OnLostSpans } from './lost-spans.ts'

/** Whom we call is in the traces. Among the figures, each receiver of webhooks would make a series of its own. */
const views: ViewOptions[] = [
  {
    instrumentName: 'http.client.request.duration',
    attributesProcessors: [
      createAllowListAttributesProcessor(['http.request.method', 'http.response.status_code', 'error.type']),
    ],
  },
]

/**
 * Starts tracing and measuring for this process: spans and ids always, export only where OTEL_EXPORTER_OTLP_ENDPOINT says where to;
 * figures only where OTEL_EXPORTER_PROMETHEUS_PORT has them served, at /metrics. Logs are not sent this way. There is no signal
 * handler here: the service's own stop calls `shutdownTelemetry`.
 */
export async function startTelemetry(env: NodeJS.ProcessEnv): Promise<void> {
  const strangers = new WeakSet<object>()
  const serviceName = env.COBRO_SERVICE_NAME || packageName()
  let tell: OnLostSpans = () => undefined
  new NodeSDK({
    serviceName,
    resourceDetectors: [envDetector, serviceInstanceIdDetector],
    textMapPropagator: correlationPropagator(strangers),
    instrumentations: createInstrumentations(trustsInbound(env.COBRO_TRUST_INBOUND_TRACE), strangers),
    // Without any processor the SDK would make no spans at all, and so no ids.
    spanProcessors: [
      env.OTEL_EXPORTER_OTLP_ENDPOINT
        ? exporting(env.OTEL_EXPORTER_OTLP_PROTOCOL, (...loss) => tell(...loss))
        : new NoopSpanProcessor(),
    ],
    metricReaders: scraped(env),
    views,
    logRecordProcessors: [],
  }).start()
  // The logger and the meter are only what they should be where this stands before they are loaded.
  const { reportLostSpans } = await import('./report-lost-spans.ts')
  tell = reportLostSpans(serviceName, env)
}

/** Whether callers may name the trace they continue. What is neither absent nor plainly true counts as no. */
function trustsInbound(setting: string | undefined): boolean {
  return !setting || setting === 'true'
}

/** The name of the service whose folder this process runs in, without its scope. */
function packageName(): string {
  const { name } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string }
  return name.replace(/^@[^/]*\//, '')
}

/** A port of its own: figures are for those who run the service, and its own port may be open to the world. */
function scraped(env: NodeJS.ProcessEnv): PrometheusExporter[] {
  const { OTEL_EXPORTER_PROMETHEUS_PORT: port, OTEL_EXPORTER_PROMETHEUS_HOST: host } = env
  if (!port) return []
  const where = { host: host || env.HOST || '127.0.0.1', port: Number(port), withoutScopeInfo: true }
  return [
    new PrometheusExporter(where, error => {
      if (error) throw error
    }),
  ]
}

function exporting(protocol: string | undefined, onLost: OnLostSpans): SpanProcessor {
  const limit = getNumberFromEnv('OTEL_BSP_MAX_QUEUE_SIZE') ?? 2_048
  const batchOf = (exporter: SpanExporter) =>
    new BatchSpanProcessor({
      exporter,
      maxQueueSize: limit,
      maxExportBatchSize: getNumberFromEnv('OTEL_BSP_MAX_EXPORT_BATCH_SIZE'),
      scheduledDelayMillis: getNumberFromEnv('OTEL_BSP_SCHEDULE_DELAY'),
      exportTimeoutMillis: getNumberFromEnv('OTEL_BSP_EXPORT_TIMEOUT'),
    })
  return correlationProcessor(detectLostSpans(createExporter(protocol || 'http/protobuf'), { limit, batchOf, onLost }))
}

function createExporter(protocol: string) {
  if (protocol === 'http/protobuf') return new OtlpProtobufExporter()
  if (protocol === 'http/json') return new OtlpJsonExporter()
  throw new Error('OTEL_EXPORTER_OTLP_PROTOCOL: expected http/protobuf or http/json')
}
