/**
 * What the client has to know about an operation:
 * - `input`: it takes a body or, as a GET, query parameters
 * - `key`: it accepts an Idempotency-Key
 * - `data`: its answer is the `data` of the response
 * - `list`: it returns a page
 * - `stream`: its answer is the response itself, whose body can be long
 */
type Trait = 'input' | 'key' | 'data' | 'list' | 'stream'

/** An operation of the API. Segments of the path in braces are parameters. */
export type OperationRow = readonly [
  id: string,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  ...traits: Trait[],
]

/** The methods of a client by their names, in groups. */
export interface MethodTree {
  readonly [name: string]: OperationRow | MethodTree
}

/** Returns whether an operation has a trait. */
export function has([, , , ...traits]: OperationRow, trait: Trait): boolean {
  return traits.includes(trait)
}

/** Returns whether a member is an operation, and not a group of methods. */
export function isOperation(member: OperationRow | MethodTree): member is OperationRow {
  return Array.isArray(member)
}
