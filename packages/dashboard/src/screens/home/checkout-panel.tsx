import type { CheckoutReport } from '@cobro/sdk/admin'
import { useMe } from '../../api/use-me.ts'
import { BarList } from '../../parts/bar-list.tsx'
import { Panel } from '../../parts/panel.tsx'
import type { Rows } from '../../parts/rows-link.tsx'
import { homeTexts } from '../../text/home-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import type { PeriodName } from './home-period.ts'
import { rangeOf } from './report-ranges.ts'
import { shareOf } from './share.ts'
import { useComparison } from './use-comparison.ts'
import { useFormats } from './use-formats.ts'
import { useReport } from './use-report.ts'

const steps = ['created', 'viewed', 'attempted', 'completed'] as const

interface CheckoutProps {
  period: PeriodName
  /** Sessions or links: each have a list of their own. */
  kind: 'session' | 'link'
}

/** How many of the sessions or links that were created got how far. */
export function CheckoutPanel({ period, kind }: CheckoutProps) {
  const texts = useTexts(homeTexts)
  return (
    <Panel title={texts.checkout[kind]} query={useReport('checkout', period, { kind })}>
      {report => <Steps report={report} kind={kind} />}
    </Panel>
  )
}

function Steps({ report, kind }: { report: CheckoutReport } & Pick<CheckoutProps, 'kind'>) {
  const texts = useTexts(homeTexts)
  const { timeZone } = useMe()
  const formats = useFormats()
  const { previous, hour } = useComparison(report)
  const { totals } = report
  const rowsOf = (step: (typeof steps)[number]): Rows => ({
    to: `/$scope/${kind}s`,
    search: { ...(step !== 'created' && { reached: step }), ...rangeOf(report, timeZone) },
  })
  const bars = steps.map(step => ({
    ...{ label: texts.steps[step], value: totals[step], text: formats.count(totals[step]) },
    rows: rowsOf(step),
  }))
  const paid = ({ completed, created }: typeof totals) => formats.share(shareOf(completed, created))
  const summary = `${texts.conversion(paid(totals))} ${texts.before(paid(previous), hour)}.`
  return <BarList tone="brand" bars={bars} summary={summary} />
}
