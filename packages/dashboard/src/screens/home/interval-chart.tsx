import { useMe } from '../../api/use-me.ts'
import { type Bar, BarChart } from '../../parts/bar-chart.tsx'
import { homeTexts } from '../../text/home-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { chartSummary, type Summed } from './chart-summary.ts'
import { type Intervals, rangeOfInterval } from './report-ranges.ts'
import { roundMaximum } from './share.ts'
import { useFormats } from './use-formats.ts'

type Part = Bar['parts'][number]

/** A part of the bars, and its sums of the period and of the one before. */
export interface Series<Row> extends Summed, Pick<Part, 'tone' | 'rows'> {
  valueIn: (row: Row) => number | null
}

interface IntervalChartProps<Row extends { start: string }> {
  report: Intervals<Row>
  /** The parts of the bars from the bottom up. Their lists have no days. */
  series: readonly Series<Row>[]
  textOf: (value: number | null) => string
  /** For shares, which are at most 1 and differ by points. */
  isShare?: true
}

/** A bar for each interval of a report. */
export function IntervalChart<Row extends { start: string }>(props: IntervalChartProps<Row>) {
  const { report, series, textOf, isShare } = props
  const { summary: texts, before } = useTexts(homeTexts)
  const { timeZone } = useMe()
  const formats = useFormats()
  const bars = report.rows.map((row, position) => ({
    label: formats.start(row.start, report),
    parts: series.map(({ label, tone, rows: { to, search }, valueIn }) => ({
      ...{ label, tone, value: valueIn(row) ?? 0, text: textOf(valueIn(row)) },
      rows: { to, search: { ...search, ...rangeOfInterval(report, position, timeZone) } },
    })),
  }))
  const heights = bars.map(({ label, parts }) => ({ label, value: parts.reduce((sum, { value }) => sum + value, 0) }))
  const top = isShare ? 1 : roundMaximum(heights.map(({ value }) => value))
  const changeOf = isShare ? formats.points : formats.change
  const previous = isShare && series[0]?.previous
  return (
    <BarChart
      bars={bars}
      summary={chartSummary(series, heights, { texts, textOf, changeOf })}
      top={{ value: top, text: textOf(top) }}
      mark={typeof previous === 'number' ? { value: previous, text: before(textOf(previous)) } : undefined}
    />
  )
}
