import { parser } from '@prometheus-io/lezer-promql'
import type { Metrics } from './scraped-metrics.ts'

// promtool checks the syntax of rule files but not of Grafana boards, and does not know which metrics and labels exist. Debian's is
// older than the Prometheus images by three years and adds 96 MB, so this reads queries with Prometheus's own grammar.

type Node = ReturnType<typeof parser.parse>['topNode']

/** The result of an expression. `exact`: the query selected exactly these labels of each series. */
interface Series {
  labels: Set<string>
  exact: boolean
}

const scalar = 'scalar'
type Result = Series | typeof scalar

/** Parses a PromQL query. Throws if it is not well formed. */
export function parseQuery(query: string): Node {
  const { topNode } = parser.parse(query)
  topNode.cursor().iterate(({ type, from }) => {
    if (type.isError) throw new Error(`not well formed at «${query.slice(from, from + 20)}»`)
  })
  return topNode
}

/**
 * Returns the labels of a query's series. Throws if the query asks for what no service exposes:
 * an unknown metric, a label that it lacks, a label value that never occurred, or sides whose labels cannot match.
 */
export function checkQuery(query: string, metrics: Metrics): string[] {
  const result = resultOf(parseQuery(query), { query, metrics })
  return result === scalar ? [] : [...result.labels]
}

interface Reading {
  query: string
  metrics: Metrics
}

function resultOf(node: Node, reading: Reading): Result {
  const parts = expressionsIn(node)
  switch (node.name) {
    case 'NumberDurationLiteral':
    case 'StringLiteral':
      return scalar
    case 'VectorSelector':
      return { labels: selected(node, reading), exact: false }
    case 'AggregateExpr':
      return aggregated(node, reading)
    case 'FunctionCall':
      return called(node, reading)
    case 'BinaryExpr':
      return joined(node, reading)
    default:
      if (!parts[0] || parts.length > 1) throw new Error(`${node.name} is not understood here`)
      return resultOf(parts[0], reading)
  }
}

function aggregated(node: Node, reading: Reading): Result {
  const body = node.getChild('FunctionCallBody')
  const of = expressionsIn(body ?? node).map(part => resultOf(part, reading))
  const inner = of.find(result => result !== scalar)
  if (!inner) throw new Error('a number is aggregated')
  const modifier = node.getChild('AggregateModifier')
  if (modifier?.getChild('Without')) throw new Error('write by, not without')
  const by = modifier ? textsOf(modifier.getChild('GroupingLabels'), 'LabelName', reading) : []
  rejectUnknown(by, inner.labels)
  return { labels: new Set(by), exact: true }
}

function called(node: Node, reading: Reading): Result {
  const name = textOf(node.getChild('FunctionIdentifier'), reading)
  const body = node.getChild('FunctionCallBody')
  const results = body ? expressionsIn(body).map(part => resultOf(part, reading)) : []
  const of = results.find(result => result !== scalar)
  if (!of) return scalar
  if (name === 'absent') return { labels: equalIn(node, reading), exact: true }
  if (name !== 'histogram_quantile') return of
  rejectUnknown(['le'], of.labels)
  return { ...of, labels: new Set([...of.labels].filter(label => label !== 'le')) }
}

function joined(node: Node, reading: Reading): Result {
  const [left, right] = expressionsIn(node).map(part => resultOf(part, reading))
  if (!left || !right) throw new Error('a side is missing')
  if (left === scalar) return right
  if (right === scalar) return left
  const matching = node.getChild('MatchingModifierClause')
  if (matching) {
    if (!matching.getChild('On')) throw new Error('write on, not ignoring')
    const on = textsOf(matching.getChild('GroupingLabels'), 'LabelName', reading)
    rejectUnknown(on, left.labels)
    rejectUnknown(on, right.labels)
    return left
  }
  const same = left.labels.size === right.labels.size && [...left.labels].every(label => right.labels.has(label))
  if (left.exact && right.exact && !same)
    throw new Error(`the sides have other labels: ${[...left.labels]} and ${[...right.labels]}`)
  return left
}

function selected(node: Node, { query, metrics }: Reading): Set<string> {
  const name = query.slice(node.from, node.getChild('Identifier')?.to ?? node.from)
  const metric = metrics.get(name)
  if (!metric) throw new Error(`no service exposes ${name || 'a metric without a name'}`)
  const labels = new Set(metric.keys())
  for (const { label, values } of matchersOf(node, { query, metrics })) {
    rejectUnknown([label], labels)
    for (const value of values)
      if (!seen(value, metric.get(label) ?? new Set())) throw new Error(`${name}: ${label} has never been ${value}`)
  }
  return labels
}

/** Each alternative must have occurred: one that never did is misspelled or outdated. */
function seen(value: string | RegExp, values: Set<string>): boolean {
  return typeof value === 'string' ? values.has(value) : [...values].some(one => value.test(one))
}

function matchersOf(node: Node, reading: Reading) {
  const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []
  return matchers.map(matcher => {
    const label = textOf(matcher.getChild('LabelName'), reading)
    const operator = textOf(matcher.getChild('MatchOp'), reading)
    const value = textOf(matcher.getChild('StringLiteral'), reading).slice(1, -1)
    if (!operator.includes('~')) return { label, operator, values: [value] }
    if (value.includes('(')) throw new Error('groups in patterns are not understood here')
    return { label, operator, values: value.split('|').map(one => new RegExp(`^(?:${one})$`)) }
  })
}

function equalIn(node: Node, reading: Reading): Set<string> {
  const selector = expressionsIn(node.getChild('FunctionCallBody') ?? node)[0]
  const matchers = selector ? matchersOf(selector, reading) : []
  return new Set(matchers.filter(({ operator }) => operator === '=').map(({ label }) => label))
}

function rejectUnknown(wanted: Iterable<string>, known: Set<string>): void {
  for (const label of wanted) if (!known.has(label)) throw new Error(`there is no label ${label} among ${[...known]}`)
}

function expressionsIn(node: Node): Node[] {
  return childrenOf(node).filter(({ name }) => operands.has(name))
}

const operands = new Set([
  'AggregateExpr',
  'BinaryExpr',
  'FunctionCall',
  'MatrixSelector',
  'NumberDurationLiteral',
  'OffsetExpr',
  'ParenExpr',
  'StringLiteral',
  'SubqueryExpr',
  'UnaryExpr',
  'VectorSelector',
])

function childrenOf(node: Node): Node[] {
  const children: Node[] = []
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child)
  return children
}

function textOf(node: Node | null, { query }: Reading): string {
  return node ? query.slice(node.from, node.to) : ''
}

function textsOf(node: Node | null, name: string, reading: Reading): string[] {
  return node?.getChildren(name).map(child => textOf(child, reading)) ?? []
}
