import type { Context } from '@opentelemetry/api'
import type { ReadableSpan, Span, SpanProcessor } from '@opentelemetry/sdk-trace'
import { type CorrelationHolder, holderOf, isPathless } from '../observability/trace-context.ts'
import { redactSpan } from './span-redaction.ts'

/** The first span of a call, message or task in this process. Its ended descendants wait for it. */
interface LocalRoot {
  span: Span
  waiting: ReadableSpan[]
}

/** More spans than any call creates. Excess ones pass with what is known, which bounds memory. */
const waitingLimit = 512

/**
 * Holds ended spans until their local root ends, because the correlation id may become known after
 * a span has ended. Then adds the id to each span, redacts it, and passes it on.
 */
export function correlationProcessor(next: SpanProcessor): SpanProcessor {
  const holders = new WeakMap<object, CorrelationHolder>()
  const roots = new Map<CorrelationHolder, LocalRoot>()
  const pathless = new WeakSet<object>()

  const passOn = (span: ReadableSpan) => {
    redactSpan(span, { pathless: pathless.has(span) })
    const id = holders.get(span)?.correlation_id
    if (id) span.attributes.correlation_id = id
    next.onEnd(span)
  }
  const release = (root: LocalRoot) => root.waiting.splice(0).forEach(passOn)
  const releaseAll = () => roots.forEach(release)

  return {
    onStart(span: Span, parent: Context) {
      if (isPathless(parent)) pathless.add(span)
      const holder = holderOf(parent)
      if (!holder) return
      holders.set(span, holder)
      if (!roots.has(holder)) roots.set(holder, { span, waiting: [] })
    },
    onEnd(span: ReadableSpan) {
      const holder = holders.get(span)
      const root = holder && roots.get(holder)
      if (!root) return passOn(span)
      root.waiting.push(span)
      const rootEnded = (root.span as object) === span
      if (rootEnded) roots.delete(holder)
      if (rootEnded || root.waiting.length >= waitingLimit) release(root)
    },
    forceFlush() {
      releaseAll()
      return next.forceFlush()
    },
    shutdown() {
      releaseAll()
      return next.shutdown()
    },
  }
}
