import type { OperationRow } from './operation-row.ts'

/** Returns the path of a call with its ids in place. Throws a `TypeError` for what cannot be an id. */
export function pathOf([operationId, , path]: OperationRow, ids: readonly unknown[]): string {
  let next = 0
  return path.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const id = ids[next++]
    // Anything else could lead to another path.
    if (typeof id !== 'string' || !/^[\w-]+$/.test(id))
      throw new TypeError(`${operationId} needs the ${name} of an object.`)
    return id
  })
}

/** Returns query parameters: several values with commas between them, times in ISO 8601, objects as JSON, nothing for undefined. */
export function queryOf(input: unknown): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input ?? {})) {
    if (value !== undefined) query.set(name, Array.isArray(value) ? value.join(',') : textOf(value))
  }
  return query
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
