import { isDeepStrictEqual } from 'node:util'
import type { RowData } from './row-columns.ts'

/** The old and the new value of each changed field. */
export type Changes = Record<string, { from: unknown; to: unknown }>

/** Returns the fields that an input changes, as in events, without equal and undefined values. */
export function changedFields<T extends object>(row: T, input: Partial<RowData<NoInfer<T>>>): Changes {
  const known = new Map<string, unknown>(Object.entries(row))
  const changed = Object.entries(input).filter(
    ([name, to]) => to !== undefined && !isDeepStrictEqual(known.get(name) ?? null, to),
  )
  return Object.fromEntries(
    changed.map(([name, to]) => [name, { from: encode(known.get(name) ?? null), to: encode(to) }]),
  )
}

const encode = (value: unknown) => (value instanceof Date ? value.toISOString() : value)
