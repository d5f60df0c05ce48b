import {
  type Attributes,
  context,
  isSpanContextValid,
  ProxyTracerProvider,
  propagation,
  type Span,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { getRPCMetadata } from '@opentelemetry/core'
import { withTimeout } from '../waiting/with-timeout.ts'
import { lightRoot } from './light-context.ts'
import { asPathless, asPrivate, holderOf, withHolder } from './trace-context.ts'

/** The W3C headers that continue a trace later, as stored in a row or sent with a message. */
export interface TraceCarrier {
  traceparent?: string | null
  baggage?: string | null
}

const shutdownTimeoutMs = 3_000

/**
 * Sets the correlation id of the current call. All of its spans in this process get it, including
 * those that have ended, as do the requests and messages that it sends from now on.
 */
export function setCorrelationId(id: string): void {
  const holder = holderOf(context.active())
  if (holder) holder.correlation_id = id
}

/**
 * Names the route of the current HTTP call in its server span and its metrics.
 * @param path The pattern of the path, such as `/sessions/:id`.
 */
export function recordRoute(path: string): void {
  const call = getRPCMetadata(context.active())
  if (call) call.route = path
}

/** Returns the id of the active trace (32 hex digits), or null if there is none. */
export function activeTraceId(): string | null {
  const span = trace.getActiveSpan()?.spanContext()
  return span && isSpanContextValid(span) ? span.traceId : null
}

/** Returns the active trace in the form stored in an outbox row; empty if there is none. */
export function captureTrace(): { traceparent?: string; baggage?: string } {
  const carrier: Record<string, string> = {}
  propagation.inject(context.active(), carrier)
  const { traceparent, baggage } = carrier
  return { ...(traceparent ? { traceparent } : {}), ...(baggage ? { baggage } : {}) }
}

/** Runs `work` in a stored trace instead of the active one. */
export function withTrace<T>(carrier: TraceCarrier, work: () => T): T {
  return context.with(propagation.extract(lightRoot, carrier), work)
}

/** Runs `work` without propagating ids, for requests to third parties. Still records its spans. */
export function withoutPropagation<T>(work: () => T): T {
  return context.with(asPrivate(context.active()), work)
}

/** Runs `work` without an active span, so that its queries get no spans. */
export function withoutSpan<T>(work: () => T): T {
  return context.with(trace.deleteSpan(context.active()), work)
}

/** Like `withoutPropagation`, for a third party's URL: its path may be secret, so spans omit it. */
export function withPrivateUrl<T>(work: () => T): T {
  return context.with(asPathless(asPrivate(context.active())), work)
}

/**
 * Runs `work` in a new trace, for work long after its cause (retries, sweepers): a trace over days
 * would be unreadable. Links the causes' traces and takes over their correlation id if they all have the same one.
 */
export function inNewTrace<T>(
  name: string,
  about: { links?: TraceCarrier[]; attributes?: Attributes },
  work: () => Promise<T> | T,
): Promise<T> {
  const causes = (about.links ?? []).map(carrier => propagation.extract(lightRoot, carrier))
  const links = causes.flatMap(cause => trace.getSpanContext(cause) ?? []).map(context => ({ context }))
  const ids = new Set(causes.map(cause => holderOf(cause)?.correlation_id))
  const [id] = ids.size === 1 ? ids : []
  const fresh = withHolder(lightRoot, id ? { correlation_id: id } : {})
  const tracer = trace.getTracer('cobro')
  return tracer.startActiveSpan(name, { links, attributes: about.attributes }, fresh, span => finish(span, work))
}

async function finish<T>(span: Span, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // Records only the type of the error: its text may quote a query or a body. The log line with the same trace id has the rest.
    span.setStatus({ code: SpanStatusCode.ERROR })
    span.setAttribute('error.type', error instanceof Error ? error.name : typeof error)
    throw error
  } finally {
    span.end()
  }
}

/** Exports recorded spans for at most 3 s and stops telemetry. Does nothing if it is not loaded. */
export async function shutdownTelemetry(): Promise<void> {
  const provider = trace.getTracerProvider()
  const sdk = provider instanceof ProxyTracerProvider ? provider.getDelegate() : provider
  if (!('shutdown' in sdk) || typeof sdk.shutdown !== 'function') return
  // An unavailable collector must not fail the stop.
  await withTimeout(shutdownTimeoutMs, Promise.resolve(sdk.shutdown())).catch(() => undefined)
}
