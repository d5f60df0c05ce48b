import { ROOT_CONTEXT, TraceFlags } from '@opentelemetry/api'
import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import { BatchSpanProcessor, type ReadableSpan, type Span, type SpanExporter } from '@opentelemetry/sdk-trace'
import { detectLostSpans } from './lost-spans.ts'

const spanOf = (traceFlags: number) =>
  ({ spanContext: () => ({ traceFlags }), resource: {}, attributes: {} }) as unknown as Span & ReadableSpan

/** Limits waiting spans to eight and batches to four. The test decides the collector's response. */
function setUp() {
  const asked: { spans: number; answer: (result: ExportResult) => void }[] = []
  const lost: [number, string | undefined][] = []
  const exporter: SpanExporter = {
    export: (spans, answer) => void asked.push({ spans: spans.length, answer }),
    shutdown: async () => undefined,
  }
  const processor = detectLostSpans(exporter, {
    limit: 8,
    batchOf: inner => new BatchSpanProcessor({ exporter: inner, maxQueueSize: 8, maxExportBatchSize: 4 }),
    onLost: (spans, error) => lost.push([spans, error?.message]),
  })
  const end = (count: number, flags = TraceFlags.SAMPLED) => {
    for (let n = 0; n < count; n++) {
      const span = spanOf(flags)
      processor.onStart(span, ROOT_CONTEXT)
      processor.onEnd(span)
    }
  }
  return { asked, lost, end, processor }
}

test('exported spans and unsampled spans are not reported as lost', () => {
  const { asked, lost, end } = setUp()
  end(100, TraceFlags.NONE)
  end(4)
  asked[0]?.answer({ code: ExportResultCode.SUCCESS })
  expect([asked.map(({ spans }) => spans), lost]).toEqual([[4], []])
})

test('spans whose export fails are reported as lost, with the error', () => {
  const { asked, lost, end } = setUp()
  end(4)
  asked[0]?.answer({ code: ExportResultCode.FAILED, error: new Error('refused') })
  expect(lost).toEqual([[4, 'refused']])
})

test('spans that end while the export queue is full are reported as lost', async () => {
  const { asked, lost, end, processor } = setUp()
  end(4 + 8)
  expect(lost).toEqual([])
  end(3)
  expect(lost).toEqual(Array(3).fill([1, undefined]))
  const flushed = processor.forceFlush()
  while (asked.length < 3) await Promise.resolve()
  for (const { answer } of asked) answer({ code: ExportResultCode.SUCCESS })
  await flushed
  end(8)
  expect(asked.map(({ spans }) => spans)).toEqual([4, 4, 4, 4])
  expect(lost).toHaveLength(3)
})
