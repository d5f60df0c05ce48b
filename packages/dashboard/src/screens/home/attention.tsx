import type { Dispute } from '@cobro/sdk/admin'
import { type ReactNode, useState } from 'react'
import { Button } from 'react-aria-components'
import { useMe } from '../../api/use-me.ts'
import buttons from '../../parts/buttons.module.css'
import { useIsFirstRead } from '../../parts/loaded.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Repeat, type RepeatProps } from '../../parts/repeat.tsx'
import { type Rows, RowsLink } from '../../parts/rows-link.tsx'
import { homeTexts } from '../../text/home-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { DisputeLink } from './dispute-link.tsx'
import styles from './home.module.css'
import type { PeriodName } from './home-period.ts'
import { rangeOf } from './report-ranges.ts'
import { useAttention } from './use-attention.ts'
import { useFormats } from './use-formats.ts'
import { useReport } from './use-report.ts'

/** How many of the open disputes are listed at first, and then. */
const disputesShown = { few: 5, many: 100 }

/** What someone has to do something about, or what of it could not be read, if there is anything. */
export function Attention({ period }: { period: PeriodName }): ReactNode {
  const { attention: texts } = useTexts(homeTexts)
  const { timeZone } = useMe()
  const formats = useFormats()
  const [limit, setLimit] = useState(disputesShown.few)
  const disputes = useAttention(
    'listDisputes',
    (api, options) => api.disputes.list({ status: 'open', order: 'due_by', dir: 'asc', limit }, options),
    limit,
  )
  const disabled = useAttention('listWebhooks', (api, options) =>
    api.webhookEndpoints.list({ status: 'disabled', limit: 1 }, options),
  )
  const refunds = useAttention('listTransactions', (api, options) =>
    api.transactions.list({ refund_status: 'failed', limit: 1 }, options),
  )
  const report = useReport('webhooks', period)
  const { data: sent } = report
  const isFirstReport = useIsFirstRead(report)
  const exhausted = sent?.totals.exhausted ?? 0
  const lists: [count: number, rows: Rows, text: string][] = [
    [
      disabled.count,
      { to: '/$scope/webhooks', search: { status: 'disabled' } },
      texts.disabledWebhooks(disabled.count),
    ],
    [
      refunds.count,
      { to: '/$scope/payments', search: { refund_status: 'failed' } },
      texts.failedRefunds(refunds.count),
    ],
    [
      exhausted,
      { to: '/$scope/deliveries', search: { status: 'exhausted', ...(sent && rangeOf(sent, timeZone)) } },
      texts.exhausted(formats.count(exhausted)),
    ],
  ]
  const found = lists.filter(([count]) => count > 0)
  const unread = Object.entries({ disputes, disabled, refunds }).filter(([, { failed }]) => failed)
  // A report that failed is not waited for, and its own panel says so.
  if (isFirstReport || [disputes, disabled, refunds].some(list => list.isFirstRead)) return <Loading rows={0} />
  if (disputes.count + found.length + unread.length === 0) return null
  return (
    <section className={styles.attention} aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <ul>
        <OpenDisputes
          {...disputes}
          showMore={limit === disputesShown.few ? () => setLimit(disputesShown.many) : undefined}
        />
        {found.map(([, rows, text]) => (
          <li key={rows.to}>
            <RowsLink {...rows}>{text}</RowsLink>
          </li>
        ))}
        <Unread lists={unread} />
      </ul>
    </section>
  )
}

interface OpenDisputesProps {
  rows: readonly Dispute[]
  /** How many there are. */
  count: number
  showMore: (() => void) | undefined
}

/** The disputes that have to be answered first, and how many more there are, as a button if they can be shown. */
function OpenDisputes({ rows, count, showMore }: OpenDisputesProps) {
  const { attention: texts } = useTexts(homeTexts)
  const more = texts.moreDisputes(count - rows.length)
  return (
    <>
      {rows.map(dispute => (
        <li key={dispute.id}>
          <DisputeLink dispute={dispute} />
        </li>
      ))}
      {count > rows.length && (
        <li>
          {showMore ? (
            <Button className={buttons.plain} onPress={showMore}>
              {more}
            </Button>
          ) : (
            more
          )}
        </li>
      )}
    </>
  )
}

/** Says which lists could not be read, if there are any. They are repeated together. */
function Unread({ lists }: { lists: [name: string, { failed: RepeatProps | undefined }][] }) {
  const { attention: texts } = useTexts(homeTexts)
  const names = lists.map(([name]) => texts.lists[name as keyof typeof texts.lists])
  const failures = lists.flatMap(([, { failed }]) => failed ?? [])
  const [first] = failures
  const retry = () => {
    for (const each of failures) each.retry()
  }
  return (
    first && (
      <li>
        <span role="status">{texts.unread(names.join(', '))}</span> <Repeat {...first} retry={retry} />
      </li>
    )
  )
}
