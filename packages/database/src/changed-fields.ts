import { isDeepStrictEqual } from 'node:util'

/** What a field held, and what it holds now. */
export type Changes = Record<string, { from: unknown; to: unknown }>

/** The fields of a row that an input changes, as they are told of. What is equal is no change, nor is what is left out. */
export function changedFields(row: object, input: object): Changes {
  const known = row as Record<string, unknown>
  const changed = Object.entries(input).filter(
    ([name, to]) => to !== undefined && !isDeepStrictEqual(known[name] ?? null, to),
  )
  return Object.fromEntries(changed.map(([name, to]) => [name, { from: told(known[name] ?? null), to: told(to) }]))
}

const told = (value: unknown) => (value instanceof Date ? value.toISOString() : value)
