import { ApiError } from '@cobro/contracts'

/** The value of the route that matches a path, and the path's parameters by name, decoded. */
interface Found<T> {
  value: T
  params: Record<string, string>
}

interface Node<T> {
  fixed: Map<string, Node<T>>
  parameter?: Node<T>
  /** The paths that end here, and those that match any rest from here (`/*name`). */
  end?: Leaf<T>
  rest?: Leaf<T>
}

interface Leaf<T> {
  value: T
  names: string[]
}

/**
 * Returns a function that finds the value of the route that matches a path. Matches exactly and by case,
 * and fixed segments before parameters, as Express does, but segment by segment: Express compares the path with one route
 * after the other. Throws for two routes that match the same paths. Routers from npm decode a path before they match it, or
 * ignore a slash at its end; then a secret path could be written in ways that the audit log does not mask.
 */
export function routeTable<T>(entries: Iterable<readonly [path: string, value: T]>) {
  const root: Node<T> = { fixed: new Map() }
  for (const [path, value] of entries) addPath(root, path, value)
  return (path: string): Found<T> | undefined => {
    const segments = path.split('/')
    const values: string[] = []
    const leaf = findLeaf(root, segments, 0, values)
    return leaf && { value: leaf.value, params: paramsOf(leaf.names, values) }
  }
}

function addPath<T>(root: Node<T>, path: string, value: T): void {
  const names: string[] = []
  let node = root
  for (const segment of path.split('/')) {
    if (/^[:*]/.test(segment)) names.push(segment.slice(1))
    if (segment.startsWith('*')) {
      if (node.rest) throw new Error(`Two routes match ${path}.`)
      node.rest = { value, names }
      return
    }
    node = segment.startsWith(':') ? parameterOf(node) : childOf(node, segment)
  }
  if (node.end) throw new Error(`Two routes match ${path}.`)
  node.end = { value, names }
}

function parameterOf<T>(node: Node<T>): Node<T> {
  node.parameter ??= { fixed: new Map() }
  return node.parameter
}

function childOf<T>(node: Node<T>, segment: string): Node<T> {
  const child = node.fixed.get(segment) ?? { fixed: new Map() }
  node.fixed.set(segment, child)
  return child
}

/** Finds the leaf of a path from its segment `at`. Leaves the parameters' segments in `values`. */
function findLeaf<T>(node: Node<T>, segments: string[], at: number, values: string[]): Leaf<T> | undefined {
  const segment = segments[at]
  if (segment === undefined) return node.end
  const fixed = node.fixed.get(segment)
  const leaf = fixed && findLeaf(fixed, segments, at + 1, values)
  if (leaf) return leaf
  const known = values.length
  if (node.parameter && segment !== '') {
    values.push(segment)
    const found = findLeaf(node.parameter, segments, at + 1, values)
    if (found) return found
    values.length = known
  }
  if (!node.rest) return undefined
  const rest = segments.slice(at).join('/')
  if (rest === '') return undefined
  values.push(rest)
  return node.rest
}

function paramsOf(names: string[], values: string[]): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [at, name] of names.entries()) params[name] = decoded(values[at] ?? '')
  return params
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new ApiError('invalid_request', 'the request cannot be read')
  }
}
