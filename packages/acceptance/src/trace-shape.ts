import type { ReceivedSpan } from '@cobro/testing'

/** The spans of one collector and their relations. */
interface Woven {
  byId: Map<string, ReceivedSpan>
  childrenOf: Map<string, ReceivedSpan[]>
  linkedTo: Map<string, ReceivedSpan[]>
}

const id = /\b[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{26}\b/g

/** Identifies statement spans to omit: caches vary their number, and other checks cover them. */
const isStatement = (span: ReceivedSpan) => 'db.system.name' in span.attributes

/**
 * Renders a lifecycle's traces as trees: a line is a child of the nearest less indented one above.
 * After a `~` comes a linked span in its own trace: at the end of the line if it has no children, below otherwise.
 * Omits statement spans, shows identical subtrees once, and marks a missing parent.
 */
export function tracesOf(spans: ReceivedSpan[], correlationId: string): string[] {
  const woven = weave(spans.filter(span => !isStatement(span)))
  const ours = spans.filter(span => span.attributes.correlation_id === correlationId && !isStatement(span))
  const tops = new Set(ours.map(span => topOf(woven, span)))
  const roots = [...tops].filter(top => !top.links.some(({ spanId }) => woven.byId.has(spanId)))
  return [...new Set(roots.map(root => draw(woven, root).join('\n')))].sort()
}

/** The steps of a lifecycle without batches, whose composition depends on timing. */
export function stepsOf(spans: ReceivedSpan[], correlationId: string): string[] {
  const ours = spans.filter(
    ({ attributes, links }) => attributes.correlation_id === correlationId && links.length === 0,
  )
  return steps(tracesOf(ours, correlationId))
}

/** Converts rendered traces to the lines that `stepsOf` returns. */
export function steps(traces: string[]): string[] {
  const lines = traces.flatMap(trace => trace.split('\n')).map(line => line.replace(/ ~ .*/, '').trim())
  return [...new Set(lines)].sort()
}

/** The label of a span: service, operation, target; never an id. */
function labelOf({ service, kind, name, attributes }: ReceivedSpan): string {
  const routingKey = String(attributes['messaging.rabbitmq.destination.routing_key']).replace(
    /^.+\.replies\..+/,
    'reply',
  )
  if (kind === 'producer' || kind === 'consumer')
    return `${service} ${attributes['messaging.operation.name']} ${routingKey}`
  if (kind !== 'client') return `${service} ${name}`
  // Spans never contain the path of a merchant's endpoint.
  const path = String(attributes['url.path'] ?? '').replace(id, ':id')
  return `${service} asks ${name} ${path}`.trimEnd()
}

function weave(spans: ReceivedSpan[]): Woven {
  const byId = new Map(spans.map(span => [span.spanId, span]))
  const childrenOf = Map.groupBy(spans, span => span.parentSpanId ?? '')
  const linkedTo = new Map<string, ReceivedSpan[]>()
  for (const span of spans)
    for (const { spanId } of span.links) linkedTo.set(spanId, [...(linkedTo.get(spanId) ?? []), span])
  return { byId, childrenOf, linkedTo }
}

function topOf(woven: Woven, span: ReceivedSpan): ReceivedSpan {
  const parent = woven.byId.get(span.parentSpanId ?? '')
  return parent ? topOf(woven, parent) : span
}

function draw(woven: Woven, span: ReceivedSpan): string[] {
  const lost = span.parentSpanId && !woven.byId.has(span.parentSpanId)
  const children = (woven.childrenOf.get(span.spanId) ?? []).map(child => draw(woven, child))
  const linked = (woven.linkedTo.get(span.spanId) ?? []).map(other => draw(woven, other))
  const leaves = linked.filter(lines => lines.length === 1)
  const tails = new Set(leaves.map(([line = '']) => ` ~ ${line.replace(`${span.service} `, '')}`))
  const roots = linked.filter(lines => lines.length > 1).map(([line, ...below]) => [`~ ${line}`, ...below])
  const distinct = new Map([...children, ...roots].map(lines => [lines.join('\n'), lines]))
  const below = [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, lines]) => lines)
  const head = `${lost ? '(its parent is missing) ' : ''}${labelOf(span)}${[...tails].sort().join('')}`
  return [head, ...below.map(line => `  ${line}`)]
}

/**
 * Returns traces whose spans have different correlation ids, or the wrong one.
 * A batch has the id that all its causes share, or none if they belong to several lifecycles.
 */
export function mixedUp(spans: ReceivedSpan[]): string[] {
  const byId = new Map(spans.map(span => [span.spanId, span]))
  const correlationIds = (of: (ReceivedSpan | undefined)[]) => [
    ...new Set(of.map(span => span?.attributes.correlation_id)),
  ]
  return [...Map.groupBy(spans, span => span.traceId).values()].flatMap(trace => {
    const [id, ...others] = correlationIds(trace)
    const links = trace.flatMap(span => span.links)
    const causes = correlationIds(links.map(({ spanId }) => byId.get(spanId)))
    const expected = causes.length === 1 ? causes[0] : undefined
    if (others.length === 0 && (links.length === 0 || id === expected)) return []
    return [`${[...new Set(trace.map(labelOf))].join(', ')}: ${[id, ...others].join(', ')} for ${causes.join(', ')}`]
  })
}

/** Returns span names with an id, number or literal, except for the test's database and queues. */
export function revealingNames(spans: ReceivedSpan[], ownNames: string[]): string[] {
  const plain = (name: string) => ownNames.reduce((rest, own) => rest.replace(own, ''), name)
  return [...new Set(spans.map(({ name }) => plain(name)))].filter(
    name => name.search(id) >= 0 || /\d{2}|['"$]/.test(name),
  )
}

/** Returns span names that break the current semantic conventions: operation first, then target. */
export function outdatedNames(spans: ReceivedSpan[]): string[] {
  const outdated = /^pg[.-]|^HTTP |^middleware|<default>| (?:process|receive|send|publish)$/
  return [...new Set(spans.map(({ name }) => name))].filter(name => outdated.test(name))
}

/** Returns attribute names from older semantic conventions that have a current replacement. */
export function outdatedAttributes(spans: ReceivedSpan[]): string[] {
  const outdated =
    /^(?:http\.(?:method|url|target|host|scheme|status_code|flavor|user_agent|client_ip)|net\.(?:peer|host)\..*|db\.(?:system|name|statement|user|connection_string|operation)|messaging\.(?:destination|destination_kind|operation|message_id|conversation_id|url|protocol|rabbitmq\.routing_key))$/
  return [...new Set(spans.flatMap(({ attributes }) => Object.keys(attributes)))].filter(name => outdated.test(name))
}
