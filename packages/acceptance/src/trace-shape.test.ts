import type { ReceivedSpan } from '@cobro/testing'
import { mixedUp, outdatedAttributes, outdatedNames, revealingNames, tracesOf } from './trace-shape.ts'

const one = 'corr_01jd0000000000000000000001'
const other = 'corr_01jd0000000000000000000002'

function span(spanId: string, about: Partial<ReceivedSpan> & { of?: string; under?: string; after?: string[] } = {}) {
  const { of = one, under, after = [], attributes, ...rest } = about
  return {
    ...{ name: spanId, traceId: 't1', spanId, parentSpanId: under, kind: 'internal', service: 's', events: [] },
    ...{ attributes: { correlation_id: of, ...attributes }, status: { code: 0 } },
    links: after.map(id => ({ traceId: 't1', spanId: id })),
    ...rest,
  } as ReceivedSpan
}

test('renders children and linked spans separately', () => {
  const spans = [
    span('root'),
    span('child', { under: 'root', kind: 'client', attributes: { 'url.path': `/a/${one}` } }),
    span('select', { under: 'root', attributes: { 'db.system.name': 'postgresql' } }),
    span('batch', { traceId: 't2', after: ['root'] }),
    span('retry', { traceId: 't3', after: ['root'] }),
    span('again', { traceId: 't3', under: 'retry' }),
  ]
  expect(tracesOf(spans, one)).toEqual(['s root ~ batch\n  s asks child /a/:id\n  ~ s retry\n    s again'])
})

test('marks a span with a missing parent or in its own trace', () => {
  expect(tracesOf([span('root'), span('lost', { under: 'gone' })], one)).toEqual([
    '(its parent is missing) s lost',
    's root',
  ])
})

test('finds correlation ids that disagree, within a trace and between a batch and its causes', () => {
  const causes = [span('a'), span('b', { of: other, traceId: 't2' })]
  const batch = (of: string | undefined, after: string[]) =>
    span('batch', { traceId: 't3', after, attributes: { correlation_id: of } })
  expect(mixedUp([...causes, batch(undefined, ['a', 'b'])])).toEqual([])
  expect(mixedUp([...causes, batch(one, ['a'])])).toEqual([])
  expect(mixedUp([...causes, batch(one, ['a', 'b'])])).toHaveLength(1)
  expect(mixedUp([...causes, batch(undefined, ['a'])])).toHaveLength(1)
  expect(mixedUp([span('a'), span('b', { of: other, under: 'a' })])).toHaveLength(1)
  expect(mixedUp([span('a'), span('b', { under: 'a', attributes: { correlation_id: undefined } })])).toHaveLength(1)
})

test('finds revealing names and outdated names', () => {
  const names = ['SELECT base', 'process queue', `GET /a/${one}`, "select 'x'", 'GET /42']
  expect(
    revealingNames(
      names.map(name => span(name)),
      ['base'],
    ),
  ).toEqual(names.slice(2))
  const attributes = { 'http.request.method': 'GET', 'http.method': 'GET', 'db.statement': 'select' }
  expect(outdatedAttributes([span('a', { attributes })])).toEqual(['http.method', 'db.statement'])
  const past = ['pg.query:SELECT base', 'base.events process', 'publish <default>']
  expect(outdatedNames([...past, 'SELECT base', 'process base.events', 'GET'].map(name => span(name)))).toEqual(past)
})
