import type { Context } from '@opentelemetry/api'
import type { ReadableSpan, Span, SpanProcessor } from '@opentelemetry/sdk-trace'
import { redactSpan } from './span-redaction.ts'
import { type CorrelationHolder, holderOf, isPathless } from './trace-context.ts'

/** A span under which others wait: the first of a call, message or clock tick in this process. */
interface LocalRoot {
  span: Span
  waiting: ReadableSpan[]
}

/** More than any call of ours makes; beyond it spans go on with what is known by then, so that memory stays bounded. */
const waitingLimit = 512

/**
 * Holds ended spans back until their local root ends, then puts the correlation id on each, takes out what must not be exported, and
 * passes them on: the id may be learnt after a span has ended.
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
