import { useMe } from '../../api/use-me.ts'
import type { Tone } from '../../parts/bar-chart.tsx'
import chart from '../../parts/chart.module.css'
import { type Rows, RowsLink } from '../../parts/rows-link.tsx'
import { homeTexts } from '../../text/home-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import type { Reported } from './comparison.ts'
import styles from './home.module.css'
import { rangeBefore, rangeOf } from './report-ranges.ts'
import { useComparison } from './use-comparison.ts'

interface HeadlineProps<Sums> {
  title: string
  report: Reported<Sums>
  /** Writes the number, of this period and of the one before. */
  textIn: (sums: Sums) => string
  /** The list of the rows behind it, without the days of the report. */
  rows: Rows
  /** That of its bars, if there are bars of several. */
  tone?: Tone
}

/** A number of the period beside that of the period before, each of which leads to its rows. */
export function Headline<Sums>({ title, report, textIn, rows: { to, search }, tone }: HeadlineProps<Sums>) {
  const texts = useTexts(homeTexts)
  const { timeZone } = useMe()
  const { previous, until, hour } = useComparison(report)
  return (
    <div className={styles.headline}>
      <dt>
        {tone && <span className={chart.swatch} data-tone={tone} aria-hidden />}
        {title}
      </dt>
      <dd className={styles.number}>
        <RowsLink to={to} search={{ ...search, ...rangeOf(report, timeZone) }}>
          {textIn(report.totals)}
        </RowsLink>
      </dd>
      <dd className={styles.before}>
        <RowsLink to={to} search={{ ...search, ...rangeBefore(report, timeZone, until) }}>
          {texts.before(textIn(previous), hour)}
        </RowsLink>
      </dd>
    </div>
  )
}
