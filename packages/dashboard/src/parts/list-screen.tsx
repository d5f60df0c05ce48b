import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components'
import { filtersOf, type ListParams, pageOf, pageSize, paramsOf } from '../address/list-search.ts'
import type { Search } from '../address/search.ts'
import { useMe } from '../api/use-me.ts'
import { listTexts } from '../text/list-texts.ts'
import { useLocale, useTexts } from '../text/locale.tsx'
import buttons from './buttons.module.css'
import { type Choice, FilterBar } from './filter-bar.tsx'
import styles from './list.module.css'
import { type Column, ListTable } from './list-table.tsx'
import { Failed, Loading, Message, NotCurrent } from './states.tsx'
import { useTitle } from './use-title.ts'

interface ListScreenProps<Row extends { id: string }> {
  /** The name of the list in the cache. */
  name: string
  texts: { title: string; searchHint: string; empty: string; emptyHint: string }
  choices: readonly Choice[]
  columns: readonly Column<Row>[]
  /** Reads a page. */
  read: (params: ListParams, signal: AbortSignal) => Promise<{ data: readonly Row[]; count: number | null }>
  /** What stands beside the title, such as a button that makes a row. */
  actions?: ReactNode
}

/** A list of the API. All filters and the page are in the address. */
export function ListScreen<Row extends { id: string }>(props: ListScreenProps<Row>) {
  const { name, texts, choices, columns, read, actions } = props
  useTitle(texts.title)
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const { scope, me, timeZone } = useMe()
  const names = choices.map(choice => choice.name)
  const params = paramsOf(search, names, timeZone)
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: [scope, name, params],
    queryFn: ({ signal }) => read(params, signal),
    // The days of the filters are those of the merchant.
    enabled: me !== undefined,
    // Never the rows of another merchant or list.
    placeholderData: (rows, before) =>
      before?.queryKey[0] === scope && before.queryKey[1] === name ? rows : undefined,
  })
  const show = (next: Search) => void navigate({ to: '.', search: next })
  const isFiltered = Object.keys(filtersOf(search, names)).length > 0 || pageOf(search) > 1
  return (
    <>
      <header className={styles.head}>
        <h1>{texts.title}</h1>
        {actions}
      </header>
      <FilterBar key={scope} search={search} choices={choices} hint={texts.searchHint} change={show} />
      <section className={styles.panel} aria-busy={isFetching} aria-label={texts.title}>
        {error && !data ? (
          <Failed error={error} retry={() => void refetch()} clear={isFiltered ? () => show({}) : undefined} />
        ) : !data ? (
          <Loading />
        ) : data.data.length === 0 ? (
          <Empty texts={texts} isFiltered={isFiltered} clear={() => show({})} />
        ) : (
          <>
            {error && <NotCurrent retry={() => void refetch()} />}
            <ListTable rows={data.data} columns={columns} />
            <Pages search={search} rows={data.data.length} count={data.count} show={show} />
          </>
        )}
      </section>
    </>
  )
}

interface EmptyProps {
  texts: { empty: string; emptyHint: string }
  isFiltered: boolean
  clear: () => void
}

function Empty({ texts, isFiltered, clear }: EmptyProps) {
  const shared = useTexts(listTexts)
  if (!isFiltered)
    return (
      <Message title={texts.empty}>
        <span>{texts.emptyHint}</span>
      </Message>
    )
  return (
    <Message title={shared.filteredEmpty}>
      <Button className={buttons.plain} onPress={clear}>
        {shared.clear}
      </Button>
    </Message>
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
