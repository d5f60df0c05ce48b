import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** A span as a collector receives it, with attributes as plain values. Ids are hex. */
export interface ReceivedSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  service: string
  attributes: Record<string, unknown>
  links: { traceId: string; spanId: string }[]
  events: { name: string; attributes: Record<string, unknown> }[]
  status: { code: number; message?: string }
}

const kinds = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const

/**
 * Starts an OpenTelemetry collector that stores every span in memory. Processes export to it with
 * OTEL_EXPORTER_OTLP_ENDPOINT = `url` and OTEL_EXPORTER_OTLP_PROTOCOL = http/json. OTEL_BSP_SCHEDULE_DELAY sets the delay in ms.
 */
export async function startOtlpReceiver() {
  const received: ReceivedSpan[] = []
  const server = createServer(async (request, response) => {
    // A process that is killed while exporting sends a partial request. Its spans are lost, as with any collector.
    const batch = await json(request).catch(() => ({}))
    received.push(...readSpans(batch as TracesRequest))
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: (): ReceivedSpan[] => [...received],
    clear: () => {
      received.length = 0
    },
    stop: async () => {
      if (!server.listening) return
      server.closeAllConnections()
      await server[Symbol.asyncDispose]()
    },
  }
}

interface OtlpValue {
  stringValue?: string
  boolValue?: boolean
  intValue?: string | number
  doubleValue?: number
  arrayValue?: { values?: OtlpValue[] }
}
type OtlpAttributes = { key: string; value: OtlpValue }[]

interface OtlpSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  kind?: number
  attributes?: OtlpAttributes
  links?: { traceId: string; spanId: string }[]
  events?: { name: string; attributes?: OtlpAttributes }[]
  status?: { code?: number; message?: string }
}

interface TracesRequest {
  resourceSpans?: { resource?: { attributes?: OtlpAttributes }; scopeSpans?: { spans?: OtlpSpan[] }[] }[]
}

function readSpans({ resourceSpans = [] }: TracesRequest): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }) => {
    const service = String(plainAttributes(resource?.attributes)['service.name'])
    return scopeSpans.flatMap(({ spans = [] }) => spans.map(span => readSpan(span, service)))
  })
}

function readSpan(span: OtlpSpan, service: string): ReceivedSpan {
  const { name, traceId, spanId, parentSpanId, links = [], events = [], status = {} } = span
  return {
    name,
    traceId,
    spanId,
    parentSpanId: parentSpanId || undefined,
    kind: kinds[span.kind ?? 0] ?? 'internal',
    service,
    attributes: plainAttributes(span.attributes),
    links: links.map(({ traceId, spanId }) => ({ traceId, spanId })),
    events: events.map(event => ({ name: event.name, attributes: plainAttributes(event.attributes) })),
    status: { code: 0, ...status },
  }
}

function plainAttributes(attributes: OtlpAttributes = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]))
}

function plainValue(value: OtlpValue): unknown {
  if (value.arrayValue) return (value.arrayValue.values ?? []).map(plainValue)
  if (value.intValue !== undefined) return Number(value.intValue)
  return value.stringValue ?? value.boolValue ?? value.doubleValue
}
