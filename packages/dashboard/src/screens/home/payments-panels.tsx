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

type Sums = PaymentReport['totals']

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
  const { currency } = report
  const paymentsOf = usePaymentsIn(currency)
  const amount = (cents: number | null) => formats.amount(cents, currency)
  const volume = { valueIn: (sums: Sums) => sums.approved_cents, rows: paymentsOf(captured) }
  return (
    <>
      <dl className={styles.headlines}>
        <Headline
          title={texts.volume}
          report={report}
          textIn={sums => amount(volume.valueIn(sums))}
          rows={volume.rows}
        />
        <Headline
          title={texts.captured}
          report={report}
          textIn={sums => formats.count(sums.approved)}
          rows={paymentsOf(captured)}
        />
        <Headline
          title={texts.approvalRate}
          report={report}
          textIn={sums => formats.share(sums.approval_rate)}
          rows={paymentsOf(ended)}
        />
        <Headline
          title={texts.declined}
          report={report}
          textIn={sums => formats.count(sums.declined + sums.failed)}
          rows={paymentsOf(lost)}
        />
      </dl>
      <IntervalChart report={report} series={[{ label: texts.volume, tone: 'brand', ...volume }]} textOf={amount} />
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
  const { currency } = report
  const paymentsOf = usePaymentsIn(currency)
  return (
    <IntervalChart
      report={report}
      series={[
        {
          label: texts.approvalRate,
          tone: 'success',
          rows: paymentsOf(ended),
          valueIn: sums => sums.approval_rate,
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
  const { currency } = report
  const paymentsOf = usePaymentsIn(currency)
  const amount = (cents: number | null) => formats.amount(cents, currency)
  const series: Series<Sums>[] = [
    {
      label: texts.refunded,
      tone: 'quiet',
      rows: paymentsOf(refunded),
      valueIn: sums => sums.refunded_cents,
    },
    {
      label: texts.chargebacks,
      tone: 'danger',
      rows: paymentsOf(disputed),
      valueIn: sums => sums.chargeback_cents,
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
