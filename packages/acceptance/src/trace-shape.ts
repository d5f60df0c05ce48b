import type { ReceivedSpan } from '@cobro/testing'

/** Spans of one collector, and how they hang together. */
interface Woven {
  byId: Map<string, ReceivedSpan>
  childrenOf: Map<string, ReceivedSpan[]>
  linkedTo: Map<string, ReceivedSpan[]>
}

const id = /\b[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{26}\b/g

/** Statements are of no shape: how many there are depends on what a service remembers. They are held to their span otherwise. */
export const isStatement = (span: ReceivedSpan) => 'db.system.name' in span.attributes

/**
 * The traces of a lifecycle, each as a tree of its edges. A line is a child of the nearest line above that is indented less. What
 * follows a `~` is linked with that line instead, from a trace of its own: at the end of the line where nothing follows from it, below
 * otherwise. Spans of statements are left out, and those that are alike in all that follows from them count as one. A parent that is
 * missing is said to be.
 */
export function tracesOf(spans: ReceivedSpan[], correlationId: string): string[] {
  const woven = weave(spans.filter(span => !isStatement(span)))
  const ours = spans.filter(span => span.attributes.correlation_id === correlationId && !isStatement(span))
  const tops = new Set(ours.map(span => topOf(woven, span)))
  const roots = [...tops].filter(top => !top.links.some(({ spanId }) => woven.byId.has(spanId)))
  return [...new Set(roots.map(root => draw(woven, root).join('\n')))].sort()
}

/** What was done in a lifecycle, without batches: how the work of many falls together is a matter of chance. */
export function stepsOf(spans: ReceivedSpan[], correlationId: string): string[] {
  const ours = spans.filter(
    ({ attributes, links }) => attributes.correlation_id === correlationId && links.length === 0,
  )
  return steps(tracesOf(ours, correlationId))
}

/** The lines of traces as `stepsOf` gives them. */
export function steps(traces: string[]): string[] {
  const lines = traces.flatMap(trace => trace.split('\n')).map(line => line.replace(/ ~ .*/, '').trim())
  return [...new Set(lines)].sort()
}

/** What an edge names a span: its service, what was done, to what; never an id. */
export function labelOf({ service, kind, name, attributes }: ReceivedSpan): string {
  const told = String(attributes['messaging.rabbitmq.destination.routing_key']).replace(/^amq\.rabbitmq\..*/, 'reply')
  if (kind === 'producer' || kind === 'consumer') return `${service} ${attributes['messaging.operation.name']} ${told}`
  if (kind !== 'client') return `${service} ${name}`
  // Where merchants' endpoints are beyond their servers is in no span.
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
 * Traces whose spans do not all bear one correlation id, or not the one that they should: a batch bears what all of its causes agree
 * on, and none where they are of several lifecycles.
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

/** Names that spans must not have: with an id, a number or a literal in them. Those of the test's own database and queues are left out. */
export function tellingNames(spans: ReceivedSpan[], ownNames: string[]): string[] {
  const plain = (name: string) => ownNames.reduce((rest, own) => rest.replace(own, ''), name)
  return [...new Set(spans.map(({ name }) => plain(name)))].filter(
    name => name.search(id) >= 0 || /\d{2}|['"$]/.test(name),
  )
}

/** Names of spans in another form than that of the present semantic conventions: what is done comes first, then to what. */
export function outdatedNames(spans: ReceivedSpan[]): string[] {
  const outdated = /^pg[.-]|^HTTP |^middleware|<default>| (?:process|receive|send|publish)$/
  return [...new Set(spans.map(({ name }) => name))].filter(name => outdated.test(name))
}

/** The names of attributes that older semantic conventions gave, of which a present one has taken the place. */
export function outdatedAttributes(spans: ReceivedSpan[]): string[] {
  const outdated =
    /^(?:http\.(?:method|url|target|host|scheme|status_code|flavor|user_agent|client_ip)|net\.(?:peer|host)\..*|db\.(?:system|name|statement|user|connection_string|operation)|messaging\.(?:destination|destination_kind|operation|message_id|conversation_id|url|protocol|rabbitmq\.routing_key))$/
  return [...new Set(spans.flatMap(({ attributes }) => Object.keys(attributes)))].filter(name => outdated.test(name))
}
