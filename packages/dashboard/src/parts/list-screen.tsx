import type { SavedView } from '@cobro/sdk/admin'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { listFacts } from '../address/list-facts.ts'
import { filtersOf, layoutOf, pageOf } from '../address/list-search.ts'
import type { Search } from '../address/search.ts'
import { useMe } from '../api/use-me.ts'
import { useRowShortcuts } from '../keys/use-row-shortcuts.ts'
import { FilteredEmpty, FirstUse } from './empty-list.tsx'
import { type Choice, type Digits, FilterBar } from './filter-bar.tsx'
import styles from './list.module.css'
import { NoSuchPage, Pages } from './list-pages.tsx'
import { type Column, ListTable } from './list-table.tsx'
import { Loaded } from './loaded.tsx'
import { NewRows } from './new-rows.tsx'
import { SavedViews } from './saved-views.tsx'
import { NoPermission } from './states.tsx'
import { type ReadPage, useList } from './use-list.ts'
import { useTitle } from './use-title.ts'

interface ListScreenProps<Row extends { id: string }> {
  /** The name of the list in the cache and of its saved views. */
  name: SavedView['list']
  texts: { title: string; searchHint: string; empty: string; emptyHint: string }
  choices: readonly (Choice | Digits)[]
  columns: readonly Column<Row>[]
  read: ReadPage<Row>
  /** The start of the names of events that change the list; empty for any, which may change it. */
  events?: string
  /** What stands beside the title, such as a button that makes a row. */
  actions?: ReactNode
  /** What stands above the filters. It keeps its height while it loads. */
  above?: ReactNode
}

/** A list of the API. All filters and the page are in the address. */
export function ListScreen<Row extends { id: string }>(props: ListScreenProps<Row>) {
  const { name, texts, choices, columns, read, events, actions, above } = props
  useTitle(texts.title)
  useRowShortcuts()
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const { scope, me, may } = useMe()
  const { needs } = listFacts[name]
  const names = choices.map(choice => choice.name)
  const { rows, total, hasNext, refresh } = useList({ name, search, names, read })
  const layout = layoutOf(search)
  const show = (next: Search) => void navigate({ to: '.', search: { ...layout, ...next } })
  const filters = filtersOf(search, names)
  const isFiltered = Object.keys(filters).length > 0
  const isFirst = pageOf(search) === 1
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
        {/* Together: one that came later would move the others. Those that are known before keep their room. */}
        {me ? actions : <span className={styles.waiting}>{actions}</span>}
      </header>
      <SavedViews list={name} filters={{ ...filters, ...layout }} />
      {above}
      <FilterBar key={scope} search={search} choices={choices} hint={texts.searchHint} change={show} />
      {events !== undefined && rows.data && (
        <NewRows
          key={`${scope} ${name}`}
          events={events}
          askedAt={rows.data.askedAt}
          isCertain={events !== '' && isFirst && !isFiltered}
          show={refresh}
        />
      )}
      <section className={styles.panel} aria-busy={rows.isFetching} aria-label={texts.title}>
        <Loaded query={rows} clear={isFiltered || !isFirst ? () => show({}) : undefined}>
          {({ data }) =>
            data.length > 0 ? (
              <>
                <ListTable rows={data} columns={columns} />
                <Pages search={search} rows={data.length} hasNext={hasNext} total={total} show={show} />
              </>
            ) : !isFirst ? (
              <NoSuchPage search={search} show={show} />
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
