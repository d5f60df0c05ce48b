import type { SavedView } from '@cobro/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { listFacts } from '../address/list-facts.ts'
import { countParamsOf, type ListParams, pageOf, pageSize, paramsOf } from '../address/list-search.ts'
import type { Search } from '../address/search.ts'
import { queries } from '../api/cobro.ts'
import { useMe } from '../api/use-me.ts'

/** Reads a page of a list, and says whether there is a next one. */
export type ReadPage<Row> = (
  params: ListParams,
  signal: AbortSignal,
) => Promise<{ data: readonly Row[]; count: number | null; hasNext: boolean }>

interface List<Row> {
  name: SavedView['list']
  search: Search
  /** The names of the list's own filters. */
  names: readonly string[]
  read: ReadPage<Row>
}

/** Returns the page of a list that an address names, and how many rows the list has once that is known: no row waits for it. */
export function useList<Row>({ name, search, names, read }: List<Row>) {
  const { scope, may, timeZone } = useMe()
  const params = paramsOf(search, names, timeZone)
  const rows = useQuery({
    queryKey: [scope, name, params],
    queryFn: async ({ signal }) => {
      const askedAt = Date.now()
      const { data, hasNext } = await read(params, signal)
      return { data, hasNext, askedAt }
    },
    // The days of the filters are those of the merchant.
    enabled: may(listFacts[name].needs),
    // Never the rows of another merchant or list, nor that a list without these filters has none.
    placeholderData: (shown, before) =>
      before?.queryKey[0] === scope && before.queryKey[1] === name && shown?.data.length ? shown : undefined,
  })
  const { data: page, isPlaceholderData } = rows
  const counted = countParamsOf(params)
  const { data: count } = useQuery({
    queryKey: [scope, name, counted],
    queryFn: async ({ signal }) => (await read(counted, signal)).count,
    // After the rows, so that these come sooner. The last page says how many there are by itself.
    enabled: page?.hasNext === true && !isPlaceholderData,
  })
  const isLast = page?.hasNext === false && !isPlaceholderData
  const total = isLast ? params.offset + page.data.length : (count ?? undefined)
  return {
    rows,
    total,
    // Of a page that is not there yet, only the number of all rows says whether there is another one.
    hasNext: isPlaceholderData ? total === undefined || pageOf(search) * pageSize < total : page?.hasNext === true,
    refresh: () => void queries.invalidateQueries({ queryKey: [scope, name] }),
  }
}
