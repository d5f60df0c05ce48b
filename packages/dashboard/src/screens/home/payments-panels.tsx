import type { PaymentReport } from '@cobro/sdk/admin'
import { Panel } from '../../parts/panel.tsx'
import { homeTexts } from '../../text/home-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { Headline } from './headline.tsx'
import styles from './home.module.css'
import type { PeriodName } from './home-period.ts'
import { IntervalChart, type Series } from './interval-chart.tsx'
import { SeriesHeadlines } from './series-headlines.tsx'
import { useFormats } from './use-formats.ts'
import { usePaymentsIn } from './use-payments-in.ts'
import { useReport } from './use-report.ts'

const captured = { status: 'approved,refunded,chargeback', time: 'captured_at' }
/** Those that the rate is of. They are listed by when they were created, as no list is by two times. */
const ended = { payment_method: 'card', status: 'approved,refunded,chargeback,declined' }
const lost = { status: 'declined,failed' }
const disputed = { time: 'disputed_at' }
const refunded = { refund_status: 'completed', time: 'refunded_at' }

interface PeriodProps {
  period: PeriodName
}

/** What was captured, and how many of the payments were approved. */
export function VolumePanel({ period }: PeriodProps) {
  const texts = useTexts(homeTexts)
  return (
    <div className={styles.wide}>
      <Panel title={texts.paymentsTitle} query={useReport('payments', period)}>
        {report => <Volume report={report} />}
      </Panel>
    </div>
  )
}

function Volume({ report }: { report: PaymentReport }) {
  const texts = useTexts(homeTexts)
  const formats = useFormats()
  const { totals, previous, currency } = report
  const paymentsOf = usePaymentsIn(currency)
  const amount = (cents: number | null) => formats.amount(cents, currency)
  const volume = { total: totals.approved_cents, previous: previous.approved_cents, rows: paymentsOf(captured) }
  return (
    <>
      <dl className={styles.headlines}>
        <Headline
          title={texts.volume}
          value={amount(volume.total)}
          rows={volume.rows}
          report={report}
          before={amount(volume.previous)}
        />
        <Headline
          title={texts.captured}
          value={formats.count(totals.approved)}
          rows={paymentsOf(captured)}
          report={report}
          before={formats.count(previous.approved)}
        />
        <Headline
          title={texts.approvalRate}
          value={formats.share(totals.approval_rate)}
          rows={paymentsOf(ended)}
          report={report}
          before={formats.share(previous.approval_rate)}
        />
        <Headline
          title={texts.declined}
          value={formats.count(totals.declined + totals.failed)}
          rows={paymentsOf(lost)}
          report={report}
          before={formats.count(previous.declined + previous.failed)}
        />
      </dl>
      <IntervalChart
        report={report}
        series={[{ label: texts.volume, tone: 'brand', valueIn: row => row.approved_cents, ...volume }]}
        textOf={amount}
      />
    </>
  )
}

/** How many of the card payments were approved, in each interval. */
export function ApprovalPanel({ period }: PeriodProps) {
  const texts = useTexts(homeTexts)
  return (
    <Panel title={texts.approvalRate} query={useReport('payments', period)}>
      {report => <Approval report={report} />}
    </Panel>
  )
}

function Approval({ report }: { report: PaymentReport }) {
  const texts = useTexts(homeTexts)
  const formats = useFormats()
  const { totals, previous, currency } = report
  const paymentsOf = usePaymentsIn(currency)
  return (
    <IntervalChart
      report={report}
      series={[
        {
          label: texts.approvalRate,
          tone: 'success',
          rows: paymentsOf(ended),
          total: totals.approval_rate,
          previous: previous.approval_rate,
          valueIn: row => row.approval_rate,
        },
      ]}
      textOf={formats.share}
      isShare
    />
  )
}

/** What went back to payers. */
export function RefundsPanel({ period }: PeriodProps) {
  const texts = useTexts(homeTexts)
  return (
    <Panel title={texts.refundsAndDisputes} query={useReport('payments', period)}>
      {report => <Refunds report={report} />}
    </Panel>
  )
}

function Refunds({ report }: { report: PaymentReport }) {
  const texts = useTexts(homeTexts)
  const formats = useFormats()
  const { totals, previous, currency } = report
  const paymentsOf = usePaymentsIn(currency)
  const amount = (cents: number | null) => formats.amount(cents, currency)
  const series: Series<PaymentReport['rows'][number]>[] = [
    {
      label: texts.refunded,
      tone: 'quiet',
      rows: paymentsOf(refunded),
      total: totals.refunded_cents,
      previous: previous.refunded_cents,
      valueIn: row => row.refunded_cents,
    },
    {
      label: texts.chargebacks,
      tone: 'danger',
      rows: paymentsOf(disputed),
      total: totals.chargeback_cents,
      previous: previous.chargeback_cents,
      valueIn: row => row.chargeback_cents,
    },
  ]
  return (
    <>
      <dl className={styles.headlines}>
        <SeriesHeadlines report={report} series={series} textOf={amount} />
      </dl>
      <IntervalChart report={report} series={series} textOf={amount} />
    </>
  )
}
