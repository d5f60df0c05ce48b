import type { Context } from '@opentelemetry/api'
import type { ReadableSpan, Span, SpanProcessor } from '@opentelemetry/sdk-trace'
import { type CorrelationHolder, holderOf, isPathless } from '../observability/trace-context.ts'
import { redactSpan } from './span-redaction.ts'

/** The first span of a call, message or task in this process. Its ended descendants wait for it. */
interface LocalRoot {
  span: Span
  waiting: ReadableSpan[]
}

/** What is kept with each span. Weak maps would make garbage collections of many spans expensive. */
const kept = Symbol('correlation')
type Marked = { [kept]?: { holder: CorrelationHolder | undefined; pathless: boolean } }

/** More spans than any call creates. Excess ones pass with what is known, which bounds memory. */
const waitingLimit = 512

/**
 * Holds ended spans until their local root ends, because the correlation id may become known after
 * a span has ended. Then adds the id to each span, redacts it, and passes it on.
 */
export function correlationProcessor(next: SpanProcessor): SpanProcessor {
  const roots = new Map<CorrelationHolder, LocalRoot>()

  const passOn = (span: ReadableSpan & Marked) => {
    redactSpan(span, { pathless: span[kept]?.pathless })
    const id = span[kept]?.holder?.correlation_id
    if (id) span.attributes.correlation_id = id
    next.onEnd(span)
  }
  const release = (root: LocalRoot) => root.waiting.splice(0).forEach(passOn)
  const releaseAll = () => roots.forEach(release)

  return {
    onStart(span: Span & Marked, parent: Context) {
      const holder = holderOf(parent)
      span[kept] = { holder, pathless: isPathless(parent) }
      if (holder && !roots.has(holder)) roots.set(holder, { span, waiting: [] })
    },
    onEnd(span: ReadableSpan & Marked) {
      const holder = span[kept]?.holder
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
