import { TraceFlags } from '@opentelemetry/api'
import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace'

/** Called for each loss with the number of spans and, if known, the error. */
export type OnLostSpans = (spans: number, error?: Error) => void

/**
 * Reports spans that the collector never gets: those whose export fails, and those that end while
 * `limit` spans wait. The batch processor that `batchOf` creates would drop both silently.
 */
export function detectLostSpans(
  exporter: SpanExporter,
  options: { limit: number; batchOf: (exporter: SpanExporter) => SpanProcessor; onLost: OnLostSpans },
): SpanProcessor {
  const { limit, batchOf, onLost } = options
  let waiting = 0
  const batch = batchOf({
    export(spans: ReadableSpan[], done: (result: ExportResult) => void) {
      waiting -= spans.length
      exporter.export(spans, result => {
        if (result.code !== ExportResultCode.SUCCESS) onLost(spans.length, result.error)
        done(result)
      })
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  })
  return {
    onStart: (span, parent) => batch.onStart(span, parent),
    onEnd(span) {
      if (!isSampled(span)) return
      if (waiting >= limit) return onLost(1)
      waiting++
      batch.onEnd(span)
    },
    forceFlush: () => batch.forceFlush(),
    shutdown: () => batch.shutdown(),
  }
}

const isSampled = (span: ReadableSpan) => (span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0
