import { Headline } from './headline.tsx'
import type { Series } from './interval-chart.tsx'
import type { Period } from './report-ranges.ts'

interface SeriesHeadlinesProps<Row> {
  report: Period
  series: readonly Series<Row>[]
  textOf: (value: number | null) => string
}

/** The sum of each part of the bars of a chart, in its color. */
export function SeriesHeadlines<Row>({ report, series, textOf }: SeriesHeadlinesProps<Row>) {
  return series.map(({ label, tone, rows, total, previous }) => (
    <Headline
      key={label}
      title={label}
      value={textOf(total)}
      rows={rows}
      report={report}
      before={textOf(previous)}
      tone={tone}
    />
  ))
}
