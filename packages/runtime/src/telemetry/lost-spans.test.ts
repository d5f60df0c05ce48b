import { ROOT_CONTEXT, TraceFlags } from '@opentelemetry/api'
import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import { BatchSpanProcessor, type ReadableSpan, type Span, type SpanExporter } from '@opentelemetry/sdk-trace'
import { detectLostSpans } from './lost-spans.ts'

const spanOf = (traceFlags: number) =>
  ({ spanContext: () => ({ traceFlags }), resource: {}, attributes: {} }) as unknown as Span & ReadableSpan

/** Eight spans may wait, and four make a batch. What the collector answers is up to the test. */
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

test('what the collector takes is not lost, nor what is not sampled', () => {
  const { asked, lost, end } = setUp()
  end(100, TraceFlags.NONE)
  end(4)
  asked[0]?.answer({ code: ExportResultCode.SUCCESS })
  expect([asked.map(({ spans }) => spans), lost]).toEqual([[4], []])
})

test('what the collector does not take is lost, with the reason', () => {
  const { asked, lost, end } = setUp()
  end(4)
  asked[0]?.answer({ code: ExportResultCode.FAILED, error: new Error('refused') })
  expect(lost).toEqual([[4, 'refused']])
})

test('what comes while as many as may wait do so is lost, until some have been taken', async () => {
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
