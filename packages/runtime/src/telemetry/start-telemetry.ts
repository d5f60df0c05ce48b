import { readFileSync } from 'node:fs'
import { context, metrics, propagation, trace } from '@opentelemetry/api'
import { getNumberFromEnv } from '@opentelemetry/core'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { OTLPTraceExporter as OtlpJsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as OtlpProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources'
import { createAllowListAttributesProcessor, MeterProvider, type ViewOptions } from '@opentelemetry/sdk-metrics'
import {
  BatchSpanProcessor,
  NoopSpanProcessor,
  type SpanExporter,
  type SpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { CallContextManager } from './call-context-manager.ts'
import { correlationProcessor } from './correlation-processor.ts'
import { correlationPropagator } from './correlation-propagator.ts'
import { createSampler } from './create-sampler.ts'
import { createInstrumentations } from './instrumentations.ts'
import { detectLostSpans, type OnLostSpans } from './lost-spans.ts'
import { createMetricsServer } from './metrics-server.ts'

/** Drops the server address from client metrics (a series per webhook receiver; traces keep it). */
const views: ViewOptions[] = [
  {
    instrumentName: 'http.client.request.duration',
    attributesProcessors: [
      createAllowListAttributesProcessor(['http.request.method', 'http.response.status_code', 'error.type']),
    ],
  },
]

/**
 * Starts tracing and metrics. Always creates spans and ids, but exports them only if
 * OTEL_EXPORTER_OTLP_ENDPOINT is set, and serves /metrics only if OTEL_EXPORTER_PROMETHEUS_PORT is set. Exports no
 * logs. Installs no signal handler: the service's stop calls `shutdownTelemetry`. Does without
 * NodeSDK, which loads 250 more modules, of exporters and propagators that Cobro does not use.
 */
export async function startTelemetry(env: NodeJS.ProcessEnv): Promise<void> {
  const untrusted = new WeakSet<object>()
  // Whether requests may continue the trace in their headers. Any value except empty and `true` means no.
  const trustInbound = ['', 'true'].includes(env.COBRO_TRUST_INBOUND_TRACE ?? '')
  const serviceName = env.COBRO_SERVICE_NAME || packageName()
  let onLostSpans: OnLostSpans = () => undefined
  const resource = defaultResource()
    .merge(detectResources({ detectors: [envDetector, serviceInstanceIdDetector] }))
    .merge(resourceFromAttributes({ 'service.name': serviceName }))
  context.setGlobalContextManager(new CallContextManager().enable())
  propagation.setGlobalPropagator(correlationPropagator(untrusted))
  metrics.setGlobalMeterProvider(new MeterProvider({ resource, views, readers: scraped(env) }))
  // Without a processor the SDK creates no spans and so no ids.
  const spanProcessors = [
    env.OTEL_EXPORTER_OTLP_ENDPOINT
      ? exporting(env.OTEL_EXPORTER_OTLP_PROTOCOL, (...loss) => onLostSpans(...loss))
      : new NoopSpanProcessor(),
  ]
  trace.setGlobalTracerProvider(new TracerProvider({ resource, sampler: createSampler(env), spanProcessors }))
  registerInstrumentations({ instrumentations: createInstrumentations(trustInbound, untrusted) })
  // The logger and the meter work only if they are loaded after the SDK has started.
  const { reportLostSpans } = await import('./report-lost-spans.ts')
  onLostSpans = reportLostSpans(serviceName, env)
}

/** Returns the package name in the working directory, without its scope. */
function packageName(): string {
  const { name } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string }
  return name.replace(/^@[^/]*\//, '')
}

/** Serves metrics for operators on a separate port, since the service's own port may be public. */
function scraped(env: NodeJS.ProcessEnv): PrometheusExporter[] {
  const { OTEL_EXPORTER_PROMETHEUS_PORT: port, OTEL_EXPORTER_PROMETHEUS_HOST: host, METRICS_TOKEN: token } = env
  if (!port) return []
  const exporter = new PrometheusExporter({ preventServerStart: true, withoutScopeInfo: true })
  const server = createMetricsServer((...exchange) => exporter.getMetricsRequestHandler(...exchange), token)
  // An address in use ends the process.
  server.listen(Number(port), host || env.HOST || '127.0.0.1')
  return [exporter]
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
