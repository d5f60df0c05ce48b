import type { DeclineReport } from '@cobro/sdk/admin'
import { useMe } from '../../api/use-me.ts'
import { BarList } from '../../parts/bar-list.tsx'
import { Panel } from '../../parts/panel.tsx'
import { declineTexts } from '../../text/decline-texts.ts'
import { homeTexts } from '../../text/home-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { chartSummary } from './chart-summary.ts'
import type { PeriodName } from './home-period.ts'
import { rangeOf } from './report-ranges.ts'
import { useComparison } from './use-comparison.ts'
import { useFormats } from './use-formats.ts'
import { usePaymentsIn } from './use-payments-in.ts'
import { useReport } from './use-report.ts'

const mostReasons = 8

/** Why payments were declined. */
export function DeclinesPanel({ period }: { period: PeriodName }) {
  const texts = useTexts(homeTexts)
  return (
    <Panel title={texts.declines} query={useReport('declines', period)}>
      {report => (report.rows.length === 0 ? <p>{texts.noDeclines}</p> : <Reasons report={report} />)}
    </Panel>
  )
}

function Reasons({ report }: { report: DeclineReport }) {
  const texts = useTexts(homeTexts)
  const reasons = useTexts(declineTexts)
  const formats = useFormats()
  const { timeZone } = useMe()
  const { totals, previous, hour } = useComparison(report)
  const paymentsOf = usePaymentsIn(report.currency)
  const bars = report.rows.slice(0, mostReasons).map(({ reason, count }) => ({
    ...{ label: reasons[reason], value: count, text: formats.count(count) },
    rows: paymentsOf({ decline_reason: reason, ...rangeOf(report, timeZone) }),
  }))
  const sums = [
    { label: texts.declined, total: report.totals.count, compared: totals?.count, previous: previous.count },
  ]
  const words = { texts: texts.summary, textOf: formats.count, changeOf: formats.change, until: hour }
  return <BarList tone="danger" bars={bars} summary={chartSummary(sums, bars, words)} />
}
