import { useSearch } from '@tanstack/react-router'
import type { Search } from '../address/search.ts'
import type { Choice } from './filter-bar.tsx'

/**
 * Returns the filters by a value that only the address names, as the link to its rows does; none where it names none. `wordOf` is
 * what a value is called.
 */
export function useNamedChoices(
  labels: Readonly<Record<string, string>>,
  wordOf: (name: string, value: string) => string = (_name, value) => value,
): Choice[] {
  const search = useSearch({ strict: false }) as Search
  return Object.entries(labels).flatMap(([name, label]) => {
    const value = search[name]
    return value ? [{ name, label, words: { [value]: wordOf(name, value) } }] : []
  })
}
