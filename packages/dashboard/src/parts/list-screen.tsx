import type { SavedView } from '@cobro/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components'
import { listFacts } from '../address/list-facts.ts'
import { filtersOf, type ListParams, layoutOf, pageOf, pageSize, paramsOf } from '../address/list-search.ts'
import type { Search } from '../address/search.ts'
import { useMe } from '../api/use-me.ts'
import { useRowShortcuts } from '../keys/use-row-shortcuts.ts'
import { listTexts } from '../text/list-texts.ts'
import { useLocale, useTexts } from '../text/locale.tsx'
import buttons from './buttons.module.css'
import { FilteredEmpty, FirstUse } from './empty-list.tsx'
import { type Choice, type Digits, FilterBar } from './filter-bar.tsx'
import styles from './list.module.css'
import { type Column, ListTable } from './list-table.tsx'
import { Loaded } from './loaded.tsx'
import { NewRows } from './new-rows.tsx'
import { SavedViews } from './saved-views.tsx'
import { NoPermission } from './states.tsx'
import { useTitle } from './use-title.ts'

interface ListScreenProps<Row extends { id: string }> {
  /** The name of the list in the cache and of its saved views. */
  name: SavedView['list']
  texts: { title: string; searchHint: string; empty: string; emptyHint: string }
  choices: readonly (Choice | Digits)[]
  columns: readonly Column<Row>[]
  /** Reads a page. */
  read: (params: ListParams, signal: AbortSignal) => Promise<{ data: readonly Row[]; count: number | null }>
  /** The start of the names of events that change the list. */
  events?: string
  /** What stands beside the title, such as a button that makes a row. */
  actions?: ReactNode
}

/** A list of the API. All filters and the page are in the address. */
export function ListScreen<Row extends { id: string }>(props: ListScreenProps<Row>) {
  const { name, texts, choices, columns, read, events, actions } = props
  useTitle(texts.title)
  useRowShortcuts()
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const { scope, me, may, timeZone } = useMe()
  const { needs } = listFacts[name]
  const names = choices.map(choice => choice.name)
  const params = paramsOf(search, names, timeZone)
  const query = useQuery({
    queryKey: [scope, name, params],
    queryFn: ({ signal }) => read(params, signal),
    // The days of the filters are those of the merchant.
    enabled: may(needs),
    // Never the rows of another merchant or list.
    placeholderData: (rows, before) =>
      before?.queryKey[0] === scope && before.queryKey[1] === name ? rows : undefined,
  })
  const layout = layoutOf(search)
  const show = (next: Search) => void navigate({ to: '.', search: { ...layout, ...next } })
  const filters = filtersOf(search, names)
  const isFiltered = Object.keys(filters).length > 0 || pageOf(search) > 1
  if (me && !may(needs))
    return (
      <>
        <h1>{texts.title}</h1>
        <NoPermission operation={needs} />
      </>
    )
  return (
    <>
      <header className={styles.head}>
        <h1>{texts.title}</h1>
        {actions}
      </header>
      <SavedViews list={name} filters={{ ...filters, ...layout }} />
      <FilterBar key={scope} search={search} choices={choices} hint={texts.searchHint} change={show} />
      {events !== undefined && query.data && (
        <NewRows key={`${scope} ${name}`} events={events} show={() => void query.refetch()} />
      )}
      <section className={styles.panel} aria-busy={query.isFetching} aria-label={texts.title}>
        <Loaded query={query} clear={isFiltered ? () => show({}) : undefined}>
          {({ data, count }) =>
            data.length > 0 ? (
              <>
                <ListTable rows={data} columns={columns} />
                <Pages search={search} rows={data.length} count={count} show={show} />
              </>
            ) : isFiltered ? (
              <FilteredEmpty filters={filters} choices={choices} show={show} />
            ) : (
              <FirstUse name={name} texts={texts} />
            )
          }
        </Loaded>
      </section>
    </>
  )
}

interface PagesProps {
  search: Search
  rows: number
  count: number | null
  show: (search: Search) => void
}

function Pages({ search, rows, count, show }: PagesProps) {
  const texts = useTexts(listTexts)
  const { locale } = useLocale()
  const page = pageOf(search)
  const first = (page - 1) * pageSize + 1
  const last = first + rows - 1
  const goTo = (next: number) => show({ ...search, page: next === 1 ? '' : String(next) })
  return (
    <div className={styles.pages}>
      <span>{texts.rows(first, last, count === null ? '…' : count.toLocaleString(locale))}</span>
      <Button className={buttons.plain} isDisabled={page === 1} onPress={() => goTo(page - 1)}>
        {texts.previous}
      </Button>
      <Button className={buttons.plain} isDisabled={count !== null && last >= count} onPress={() => goTo(page + 1)}>
        {texts.next}
      </Button>
    </div>
  )
}
