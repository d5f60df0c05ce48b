import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Button } from 'react-aria-components'
import type { Search } from '../../address/search.ts'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import buttons from '../../parts/buttons.module.css'
import { Failed, Loading, Message } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { useLocale, useTexts } from '../../text/locale.tsx'
import { paymentsTexts } from '../../text/payments-texts.ts'
import { FilterBar } from './filter-bar.tsx'
import { filtersOf, pageOf, pageSize, paramsOf } from './payment-filters.ts'
import styles from './payments.module.css'
import { PaymentsTable } from './payments-table.tsx'

/** The payments of the scope. All filters and the page are in the address. */
export function PaymentsScreen() {
  const texts = useTexts(paymentsTexts)
  useTitle(texts.title)
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const { scope, me, timeZone } = useMe()
  const params = paramsOf(search, timeZone)
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: [scope, 'payments', params],
    queryFn: ({ signal }) => cobroOf(scope).transactions.list(params, { signal }),
    enabled: me !== undefined,
    placeholderData: keepPreviousData,
  })
  const show = (next: Search) => void navigate({ to: '.', search: next, replace: true })
  const isFiltered = Object.keys(filtersOf(search)).length > 0
  return (
    <>
      <h1>{texts.title}</h1>
      <FilterBar key={scope} search={search} change={filters => show(filters)} />
      <section className={styles.panel} aria-busy={isFetching} aria-label={texts.title}>
        {error && !data ? (
          <Failed error={error} retry={() => void refetch()} />
        ) : !data ? (
          <Loading />
        ) : data.data.length === 0 ? (
          <Empty isFiltered={isFiltered} clear={() => show({})} />
        ) : (
          <>
            <PaymentsTable payments={data.data} scope={scope} timeZone={timeZone} />
            <Pages search={search} rows={data.data.length} count={data.count} show={show} />
          </>
        )}
      </section>
    </>
  )
}

function Empty({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
  const texts = useTexts(paymentsTexts)
  if (!isFiltered)
    return (
      <Message title={texts.empty}>
        <span>{texts.emptyHint}</span>
      </Message>
    )
  return (
    <Message title={texts.filteredEmpty}>
      <Button className={buttons.plain} onPress={clear}>
        {texts.clear}
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
  const texts = useTexts(paymentsTexts)
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
