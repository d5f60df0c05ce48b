import {
  type Attributes,
  context,
  isSpanContextValid,
  ProxyTracerProvider,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { asPathless, asPrivate, holderOf, withHolder } from './trace-context.ts'

/** What joins later work to a trace: the W3C headers, as they stand in a stored row or a message. */
export interface TraceCarrier {
  traceparent?: string | null
  baggage?: string | null
}

const shutdownTimeoutMs = 3_000

/**
 * Notes the lifecycle that the work in hand belongs to. It reaches every span of this call in this process, also those that have
 * ended already, and from now on every request and message that the call sends.
 */
export function setCorrelationId(id: string): void {
  const holder = holderOf(context.active())
  if (holder) holder.correlation_id = id
}

/** The id of the trace in hand, 32 hex digits; null outside of any. */
export function activeTraceId(): string | null {
  const span = trace.getActiveSpan()?.spanContext()
  return span && isSpanContextValid(span) ? span.traceId : null
}

/** The trace in hand in a form that can be stored with an outbox row; empty outside of any. */
export function captureTrace(): { traceparent?: string; baggage?: string } {
  const carrier: Record<string, string> = {}
  propagation.inject(context.active(), carrier)
  const { traceparent, baggage } = carrier
  return { ...(traceparent ? { traceparent } : {}), ...(baggage ? { baggage } : {}) }
}

/** Runs `work` as a continuation of a stored trace, whatever trace is in hand. */
export function withTrace<T>(carrier: TraceCarrier, work: () => T): T {
  return context.with(propagation.extract(ROOT_CONTEXT, carrier), work)
}

/** Runs `work` so that nothing it sends carries our ids: for requests to strangers. Its spans are recorded as ever. */
export function withoutPropagation<T>(work: () => T): T {
  return context.with(asPrivate(context.active()), work)
}

/** The same where the stranger chose the address: a path may be his secret, so that spans tell of the server alone. */
export function withPrivateUrl<T>(work: () => T): T {
  return context.with(asPathless(asPrivate(context.active())), work)
}

/**
 * Runs `work` in a trace of its own, for what happens long after its cause (retries, sweepers): a trace that spanned days would be
 * unreadable. The causes are linked, and where all of them belong to one lifecycle they hand on its correlation id.
 */
export function inNewTrace<T>(
  name: string,
  about: { links?: TraceCarrier[]; attributes?: Attributes },
  work: () => Promise<T> | T,
): Promise<T> {
  const causes = (about.links ?? []).map(carrier => propagation.extract(ROOT_CONTEXT, carrier))
  const links = causes.flatMap(cause => trace.getSpanContext(cause) ?? []).map(context => ({ context }))
  const ids = new Set(causes.map(cause => holderOf(cause)?.correlation_id))
  const [id] = ids.size === 1 ? ids : []
  const fresh = withHolder(ROOT_CONTEXT, id ? { correlation_id: id } : {})
  const tracer = trace.getTracer('cobro')
  return tracer.startActiveSpan(name, { links, attributes: about.attributes }, fresh, span => finish(span, work))
}

async function finish<T>(span: Span, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // Only the kind of error: its text may quote a statement or a body. The log line has the rest, under the same trace id.
    span.setStatus({ code: SpanStatusCode.ERROR })
    span.setAttribute('error.type', error instanceof Error ? error.name : typeof error)
    throw error
  } finally {
    span.end()
  }
}

/** Sends what has been recorded, for at most 3 s, and ends the recording. Does nothing where telemetry was not loaded. */
export async function shutdownTelemetry(): Promise<void> {
  const provider = trace.getTracerProvider()
  const sdk = provider instanceof ProxyTracerProvider ? provider.getDelegate() : provider
  if (!('shutdown' in sdk) || typeof sdk.shutdown !== 'function') return
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<void>(resolve => {
    timer = setTimeout(resolve, shutdownTimeoutMs)
  })
  // A collector that is away is no reason to fail an orderly stop.
  await Promise.race([sdk.shutdown(), deadline]).catch(() => undefined)
  clearTimeout(timer)
}
