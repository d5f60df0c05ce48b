import { isDeepStrictEqual } from 'node:util'
import type { RowData } from './new-row.ts'

/** What a field held, and what it holds now. */
export type Changes = Record<string, { from: unknown; to: unknown }>

/** The fields of a row that an input changes, as they are told of. What is equal is no change, nor is what is left out. */
export function changedFields<T extends object>(row: T, input: Partial<RowData<NoInfer<T>>>): Changes {
  const known = new Map<string, unknown>(Object.entries(row))
  const changed = Object.entries(input).filter(
    ([name, to]) => to !== undefined && !isDeepStrictEqual(known.get(name) ?? null, to),
  )
  return Object.fromEntries(changed.map(([name, to]) => [name, { from: told(known.get(name) ?? null), to: told(to) }]))
}

const told = (value: unknown) => (value instanceof Date ? value.toISOString() : value)
