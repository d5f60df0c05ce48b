import { formatCount } from '@cobro/look/formats'
import { Button } from 'react-aria-components'
import { lastPage, pageOf, pageSize } from '../address/list-search.ts'
import type { Search } from '../address/search.ts'
import { listTexts } from '../text/list-texts.ts'
import { useLocale, useTexts } from '../text/locale.tsx'
import buttons from './buttons.module.css'
import styles from './list.module.css'
import { Message } from './states.tsx'

interface PagesProps {
  search: Search
  /** How many rows the page has. */
  rows: number
  hasNext: boolean
  /** How many rows the list has, once that is known. */
  total: number | undefined
  show: (search: Search) => void
}

/** Returns the address of another page of a list. */
const onPage = (search: Search, page: number): Search => ({ ...search, page: page === 1 ? '' : String(page) })

/** Which rows of a list are shown, and the way to the pages before and after. */
export function Pages({ search, rows, hasNext, total, show }: PagesProps) {
  const texts = useTexts(listTexts)
  const { locale } = useLocale()
  const page = pageOf(search)
  const first = (page - 1) * pageSize + 1
  const written = (number: number | undefined) => (number === undefined ? '…' : formatCount(number, locale))
  return (
    <div className={styles.pages}>
      <span>
        {texts.rows(written(first), written(first + rows - 1), written(total))}
        {hasNext && page === lastPage && ` ${texts.goesNoFurther}`}
      </span>
      <Button className={buttons.plain} isDisabled={page === 1} onPress={() => show(onPage(search, page - 1))}>
        {texts.previous}
      </Button>
      <Button
        className={buttons.plain}
        isDisabled={!hasNext || page === lastPage}
        onPress={() => show(onPage(search, page + 1))}
      >
        {texts.next}
      </Button>
    </div>
  )
}

/** What stands at the address of a page that is beyond the last row. */
export function NoSuchPage({ search, show }: Pick<PagesProps, 'search' | 'show'>) {
  const texts = useTexts(listTexts)
  return (
    <Message title={texts.noSuchPage}>
      <Button className={buttons.plain} onPress={() => show(onPage(search, 1))}>
        {texts.firstPage}
      </Button>
    </Message>
  )
}
