import { formatAmount, formatCount } from '@cobro/look/formats'
import { homeTexts } from '../../text/home-texts.ts'
import { useLocale, useTexts } from '../../text/locale.tsx'
import { type Charted, chartIntervals } from './chart-intervals.ts'

/** Returns how numbers of a report are written in the user's language. */
export function useFormats() {
  const { locale } = useLocale()
  const { none, points } = useTexts(homeTexts)
  const region = locale === 'es' ? 'es-MX' : 'en-US'
  /** Rounds to the tenths of percent that are written. */
  const tenths = (share: number) => Math.round(1_000 * share) / 1_000
  const percent = new Intl.NumberFormat(region, { style: 'percent', maximumFractionDigits: 1 })
  return {
    amount: (cents: number | null, currency: string) => (cents === null ? none : formatAmount(cents, currency, locale)),
    count: (count: number | null) => (count === null ? none : formatCount(count, locale)),
    share: (share: number | null | undefined) => (typeof share === 'number' ? percent.format(share) : none),
    /** By how much a number differs from the one before, as a share of that one; undefined for less than is written. */
    change: (value: number, before: number) => {
      const share = tenths(Math.abs(value - before) / before)
      return share === 0 ? undefined : percent.format(share)
    },
    /** By how much two shares differ as they are written; undefined if they do not. */
    points: (share: number, before: number) => {
      const difference = Math.abs(tenths(share) - tenths(before))
      const text = (100 * difference).toLocaleString(region, { maximumFractionDigits: 1 })
      return tenths(difference) === 0 ? undefined : points(text)
    },
    milliseconds: (ms: number | null) => (ms === null ? none : `${Math.round(ms).toLocaleString(region)} ms`),
    hour: (at: string, timeZone: string) =>
      new Intl.DateTimeFormat(region, { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(
        new Date(at),
      ),
    intervals: <Row extends { start: string }>(report: Charted<Row>) => chartIntervals(report, region),
  }
}
