import { useMe } from '../../api/use-me.ts'
import type { Tone } from '../../parts/bar-chart.tsx'
import { type Rows, RowsLink } from '../../parts/rows-link.tsx'
import { homeTexts } from '../../text/home-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import styles from './home.module.css'
import { type Period, rangeBefore, rangeOf } from './report-ranges.ts'

interface HeadlineProps {
  title: string
  value: string
  /** The list of the rows behind it, without the days of the report. */
  rows: Rows
  report: Period
  /** The same in the period before. */
  before: string
  /** That of its bars, if there are bars of several. */
  tone?: Tone
}

/** A number of the period beside that of the period before, each of which leads to its rows. */
export function Headline({ title, value, rows: { to, search }, report, before, tone }: HeadlineProps) {
  const texts = useTexts(homeTexts)
  const { timeZone } = useMe()
  return (
    <div className={styles.headline}>
      <dt data-tone={tone}>{title}</dt>
      <dd className={styles.number}>
        <RowsLink to={to} search={{ ...search, ...rangeOf(report, timeZone) }}>
          {value}
        </RowsLink>
      </dd>
      <dd className={styles.before}>
        <RowsLink to={to} search={{ ...search, ...rangeBefore(report, timeZone) }}>
          {texts.before(before)}
        </RowsLink>
      </dd>
    </div>
  )
}
