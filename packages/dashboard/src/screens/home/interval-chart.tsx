import { useMe } from '../../api/use-me.ts'
import { type Bar, BarChart } from '../../parts/bar-chart.tsx'
import { homeTexts } from '../../text/home-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { shellTexts } from '../../text/shell-texts.ts'
import type { Charted } from './chart-intervals.ts'
import { chartSummary } from './chart-summary.ts'
import type { Reported } from './comparison.ts'
import { rangeOfInterval } from './report-ranges.ts'
import { roundMaximum } from './share.ts'
import { useComparison } from './use-comparison.ts'
import { useFormats } from './use-formats.ts'

type Part = Bar['parts'][number]

/** A part of the bars, and a number of the period. */
export interface Series<Sums> extends Pick<Part, 'label' | 'tone' | 'rows'> {
  valueIn: (sums: Sums) => number | null
}

interface IntervalChartProps<Sums> {
  report: Reported<Sums> & Charted<Sums & { start: string }>
  /** The parts of the bars from the bottom up. Their lists have no days. */
  series: readonly Series<Sums>[]
  textOf: (value: number | null) => string
  /** For shares, which are at most 1 and differ by points. */
  isShare?: true
}

/** A bar for each interval of a report. */
export function IntervalChart<Sums>({ report, series, textOf, isShare }: IntervalChartProps<Sums>) {
  const { summary: texts, before } = useTexts(homeTexts)
  const { soFar } = useTexts(shellTexts)
  const { timeZone } = useMe()
  const formats = useFormats()
  const { totals: compared, previous, hour } = useComparison(report)
  const partsOf = (row: Sums, position: number) =>
    series.map(({ label, tone, rows: { to, search }, valueIn }) => ({
      ...{ label, tone, value: valueIn(row) ?? 0, text: textOf(valueIn(row)) },
      rows: { to, search: { ...search, ...rangeOfInterval(report, position, timeZone) } },
    }))
  const bars = formats.intervals(report).map(({ row, label, isOpen, hasBegun }, position) => ({
    ...{ start: row.start, label: isOpen ? `${label}, ${soFar}` : label, isOpen },
    parts: hasBegun ? partsOf(row, position) : [],
  }))
  const heights = bars.map(({ label, parts }) => ({ label, value: parts.reduce((sum, { value }) => sum + value, 0) }))
  const top = isShare ? 1 : roundMaximum(heights.map(({ value }) => value))
  const changeOf = isShare ? formats.points : formats.change
  const sums = series.map(({ label, valueIn }) => ({
    ...{ label, total: valueIn(report.totals), previous: valueIn(previous) },
    compared: compared && valueIn(compared),
  }))
  const level = isShare && sums[0]?.previous
  return (
    <BarChart
      bars={bars}
      summary={chartSummary(sums, heights, { texts, textOf, changeOf, until: hour })}
      top={{ value: top, text: textOf(top) }}
      mark={typeof level === 'number' ? { value: level, text: before(textOf(level), hour) } : undefined}
    />
  )
}
