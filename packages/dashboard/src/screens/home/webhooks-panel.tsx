import type { WebhookReport } from '@cobro/sdk/admin'
import { Panel } from '../../parts/panel.tsx'
import { type Rows, RowsLink } from '../../parts/rows-link.tsx'
import { homeTexts } from '../../text/home-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { Headline } from './headline.tsx'
import styles from './home.module.css'
import type { PeriodName } from './home-period.ts'
import { IntervalChart, type Series } from './interval-chart.tsx'
import { SeriesHeadlines } from './series-headlines.tsx'
import { useFormats } from './use-formats.ts'
import { useReport } from './use-report.ts'

const deliveries = (status?: string): Rows => ({ to: '/$scope/deliveries', search: status ? { status } : {} })

/** How the requests to webhooks went. */
export function WebhooksPanel({ period }: { period: PeriodName }) {
  const texts = useTexts(homeTexts)
  return (
    <Panel title={texts.webhooks} query={useReport('webhooks', period)}>
      {report =>
        report.totals.attempts === 0 && report.pending === 0 ? <p>{texts.noWebhooks}</p> : <Requests report={report} />
      }
    </Panel>
  )
}

/** Their numbers lead to the deliveries that were created then: one may have had several requests, also later. */
function Requests({ report }: { report: WebhookReport }) {
  const texts = useTexts(homeTexts)
  const formats = useFormats()
  const series: Series<WebhookReport['totals']>[] = [
    {
      label: texts.delivered,
      tone: 'success',
      rows: deliveries('succeeded'),
      valueIn: sums => sums.succeeded,
    },
    {
      label: texts.undelivered,
      tone: 'danger',
      // Of any status: a delivery that failed at first may have succeeded since.
      rows: deliveries(),
      valueIn: sums => sums.failed,
    },
  ]
  return (
    <>
      <dl className={styles.headlines}>
        <SeriesHeadlines report={report} series={series} textOf={formats.count} />
        {(['p50_ms', 'p95_ms'] as const).map(name => (
          <Headline
            key={name}
            title={texts.answered[name]}
            report={report}
            textIn={sums => formats.milliseconds(sums[name])}
            rows={deliveries()}
          />
        ))}
        <div className={styles.headline}>
          <dt>{texts.waiting}</dt>
          <dd className={styles.number}>
            <RowsLink {...deliveries('pending')}>{formats.count(report.pending)}</RowsLink>
          </dd>
        </div>
      </dl>
      <IntervalChart report={report} series={series} textOf={formats.count} />
    </>
  )
}
