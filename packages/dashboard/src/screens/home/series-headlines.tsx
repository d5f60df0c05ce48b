import type { Reported } from './comparison.ts'
import { Headline } from './headline.tsx'
import type { Series } from './interval-chart.tsx'

interface SeriesHeadlinesProps<Sums> {
  report: Reported<Sums>
  series: readonly Series<Sums>[]
  textOf: (value: number | null) => string
}

/** The sum of each part of the bars of a chart, in its color. */
export function SeriesHeadlines<Sums>({ report, series, textOf }: SeriesHeadlinesProps<Sums>) {
  return series.map(({ label, tone, rows, valueIn }) => (
    <Headline
      key={label}
      title={label}
      report={report}
      textIn={sums => textOf(valueIn(sums))}
      rows={rows}
      tone={tone}
    />
  ))
}
