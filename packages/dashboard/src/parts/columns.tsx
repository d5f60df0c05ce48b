import { formatAmount } from '@cobro/look/formats'
import type { DetailScreenPath } from '../address/destination.ts'
import { useMe } from '../api/use-me.ts'
import { listTexts } from '../text/list-texts.ts'
import { useLocale, useTexts } from '../text/locale.tsx'
import type { Column } from './list-table.tsx'
import { Moment } from './moment.tsx'
import { RowLink } from './row-link.tsx'

/** The column of the moment that a list is sorted by. It leads to the screen of the row. */
export function useDateColumn<Row>(
  to: DetailScreenPath,
  read: (row: Row) => { id: string; at: string | number },
  title?: (zone: string) => string,
): Column<Row> {
  const texts = useTexts(listTexts)
  const { timeZone } = useMe()
  return {
    title: (title ?? texts.date)(timeZone),
    cell: row => {
      const { id, at } = read(row)
      return (
        <RowLink to={to} id={id}>
          <Moment at={at} timeZone={timeZone} />
        </RowLink>
      )
    },
  }
}

/** Reads the date column of rows that are sorted by when they were created. */
export const created = ({ id, created_at }: { id: string; created_at: string | number }) => ({ id, at: created_at })

/** The column of an amount of money. */
export function useAmountColumn<Row>(
  title: string,
  read: (row: Row) => { cents: number; currency: string },
): Column<Row> {
  const { locale } = useLocale()
  return {
    title,
    isNumber: true,
    cell: row => {
      const { cents, currency } = read(row)
      return formatAmount(cents, currency, locale)
    },
  }
}

/** The column of the merchant of each row, where the rows are those of all merchants. */
export function useMerchantColumn<Row extends { merchant_id: string | null }>(): Column<Row>[] {
  const texts = useTexts(listTexts)
  const { scope } = useMe()
  return scope === 'all' ? [{ title: texts.merchant, cell: ({ merchant_id }) => merchant_id }] : []
}
