import { type Context, ROOT_CONTEXT } from '@opentelemetry/api'
import type { ReadableSpan, Span, SpanProcessor } from '@opentelemetry/sdk-trace'
import { asPathless, type CorrelationHolder, withHolder } from '../observability/trace-context.ts'
import { correlationProcessor } from './correlation-processor.ts'

function setUp() {
  const passedOn: [string, unknown][] = []
  const next: SpanProcessor = {
    onStart: () => undefined,
    onEnd: span => passedOn.push([span.name, span.attributes.correlation_id]),
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  }
  const processor = correlationProcessor(next)
  const start = (name: string, holder?: CorrelationHolder) => {
    const span = { name, attributes: {}, status: { code: 0 }, events: [] } as unknown as Span & ReadableSpan
    processor.onStart(span, holder ? withHolder(ROOT_CONTEXT, holder) : ROOT_CONTEXT)
    return { end: () => processor.onEnd(span) }
  }
  return { passedOn, processor, start }
}

test('a span in a pathless context records only the origin of a URL', () => {
  const { processor } = setUp()
  const addressOf = (context: Context) => {
    const attributes = { 'url.full': 'https://shop.mx/t0ken', 'url.path': '/t0ken' }
    const span = { name: 'POST', attributes, status: { code: 0 }, events: [] } as unknown as Span & ReadableSpan
    processor.onStart(span, context)
    processor.onEnd(span)
    return span.attributes
  }
  expect(addressOf(ROOT_CONTEXT)).toEqual({ 'url.full': 'https://shop.mx/t0ken', 'url.path': '/t0ken' })
  expect(addressOf(asPathless(ROOT_CONTEXT))).toEqual({ 'url.full': 'https://shop.mx' })
})

test('spans wait for their local root and get a correlation id that was set in the meantime', () => {
  const { passedOn, start } = setUp()
  const holder: CorrelationHolder = {}
  const root = start('root', holder)
  start('query', holder).end()
  expect(passedOn).toEqual([])
  holder.correlation_id = 'corr_1'
  root.end()
  expect(passedOn).toEqual([
    ['query', 'corr_1'],
    ['root', 'corr_1'],
  ])
})

test('a span that ends after its local root is passed on at once', () => {
  const { passedOn, start } = setUp()
  const holder: CorrelationHolder = {}
  const root = start('root', holder)
  const late = start('late', holder)
  root.end()
  holder.correlation_id = 'corr_1'
  late.end()
  start('later', holder).end()
  expect(passedOn).toEqual([
    ['root', undefined],
    ['late', 'corr_1'],
    ['later', 'corr_1'],
  ])
})

test('spans of concurrent calls wait for their own local root, and a span without one does not wait', () => {
  const { passedOn, start } = setUp()
  const one = start('one', { correlation_id: 'corr_1' })
  const other = start('other', { correlation_id: 'corr_2' })
  start('stray').end()
  other.end()
  one.end()
  expect(passedOn).toEqual([
    ['stray', undefined],
    ['other', 'corr_2'],
    ['one', 'corr_1'],
  ])
})

test('at most 512 spans wait for a local root', () => {
  const { passedOn, start } = setUp()
  const holder: CorrelationHolder = {}
  start('root', holder)
  for (let n = 1; n < 512; n++) start('query', holder).end()
  expect(passedOn).toHaveLength(0)
  start('query', holder).end()
  expect(passedOn).toHaveLength(512)
})

test.each(['forceFlush', 'shutdown'] as const)('%s passes on all waiting spans', async method => {
  const { passedOn, processor, start } = setUp()
  const holder: CorrelationHolder = { correlation_id: 'corr_1' }
  start('root', holder)
  start('query', holder).end()
  await processor[method]()
  expect(passedOn).toEqual([['query', 'corr_1']])
})
