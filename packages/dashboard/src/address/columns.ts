import type { Search } from './search.ts'

/**
 * Returns the names of the columns that an address chooses, in the order in which the list has them; the usual ones if it chooses
 * none that the list has.
 */
export function columnsOf(
  { columns = '' }: Search,
  all: readonly string[],
  usual: readonly string[],
): readonly string[] {
  const named = columns.split(',')
  const chosen = all.filter(name => named.includes(name))
  return chosen.length > 0 ? chosen : usual
}

/** Returns an address with other columns. The usual ones are those of an address that names none. */
export function withColumns(search: Search, columns: readonly string[], usual: readonly string[]): Search {
  const isUsual = columns.length === usual.length && columns.every(name => usual.includes(name))
  return { ...search, columns: isUsual ? '' : columns.join(',') }
}
