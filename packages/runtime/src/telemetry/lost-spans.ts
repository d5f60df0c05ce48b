import { TraceFlags } from '@opentelemetry/api'
import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace'

/** Told of each loss: how many spans, and why where somebody said so. */
export type OnLostSpans = (spans: number, error?: Error) => void

/**
 * Has the spans noticed that no collector gets: those that it does not take, and those that come while as many as `limit` wait for
 * it. The batch between the two, which `batchOf` makes, would let either go without a word.
 */
export function detectLostSpans(
  exporter: SpanExporter,
  {
    limit,
    batchOf,
    onLost,
  }: { limit: number; batchOf: (exporter: SpanExporter) => SpanProcessor; onLost: OnLostSpans },
): SpanProcessor {
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
