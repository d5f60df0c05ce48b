import { formatMoment } from '@cobro/look/formats'
import type { Dispute } from '@cobro/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { homeTexts } from '../../text/home-texts.ts'
import { useLocale, useTexts } from '../../text/locale.tsx'
import styles from './home.module.css'
import type { PeriodName } from './home-period.ts'
import { rangeOf } from './report-ranges.ts'
import { useFormats } from './use-formats.ts'
import { useReport } from './use-report.ts'

/** What someone has to do something about, if there is anything. */
export function Attention({ period }: { period: PeriodName }) {
  const { attention: texts } = useTexts(homeTexts)
  const { scope, timeZone } = useMe()
  const formats = useFormats()
  const disabled = useCount('webhooks', api => api.webhookEndpoints.list({ status: 'disabled', limit: 1 }))
  const failed = useCount('payments', api => api.transactions.list({ refund_status: 'failed', limit: 1 }))
  const { data: sent } = useReport('webhooks', period)
  const exhausted = sent?.totals.exhausted ?? 0
  const disputes = useOpenDisputes()
  if (disabled + failed + exhausted === 0 && !disputes) return null
  return (
    <section className={styles.attention} aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <ul>
        {disputes && (
          <li>
            <DisputesLink {...disputes} />
          </li>
        )}
        {disabled > 0 && (
          <li>
            <Link to="/$scope/webhooks" params={{ scope }} search={{ status: 'disabled' }}>
              {texts.disabledWebhooks(disabled)}
            </Link>
          </li>
        )}
        {failed > 0 && (
          <li>
            <Link to="/$scope/payments" params={{ scope }} search={{ refund_status: 'failed' }}>
              {texts.failedRefunds(failed)}
            </Link>
          </li>
        )}
        {sent && exhausted > 0 && (
          <li>
            <Link
              to="/$scope/deliveries"
              params={{ scope }}
              search={{ status: 'exhausted', ...rangeOf(sent, timeZone) }}
            >
              {texts.exhausted(formats.count(exhausted))}
            </Link>
          </li>
        )}
      </ul>
    </section>
  )
}

interface OpenDisputes {
  count: number
  /** The one that has to be answered first. */
  next: Dispute
}

/** Returns the disputes that wait for an answer, if there are any and the user may see them. */
function useOpenDisputes(): OpenDisputes | undefined {
  const { scope, may } = useMe()
  const { data } = useQuery({
    queryKey: [scope, 'attention', 'disputes'],
    queryFn: ({ signal }) =>
      cobroOf(scope).disputes.list({ status: 'open', order: 'due_by', dir: 'asc', limit: 1 }, { signal }),
    enabled: may('listDisputes'),
    retry: false,
  })
  const next = data?.data[0]
  return next && { count: data.count ?? 1, next }
}

/** Leads to the payment of the only dispute, or to all payments in dispute. */
function DisputesLink({ count, next: { transaction_id, due_by } }: OpenDisputes) {
  const { attention: texts } = useTexts(homeTexts)
  const { scope, timeZone } = useMe()
  const { locale } = useLocale()
  const words = texts.openDisputes(count, due_by && formatMoment(due_by, locale, timeZone))
  return count === 1 ? (
    <Link to="/$scope/payments/$id" params={{ scope, id: transaction_id }}>
      {words}
    </Link>
  ) : (
    <Link to="/$scope/payments" params={{ scope }} search={{ status: 'chargeback' }}>
      {words}
    </Link>
  )
}

type Read = (api: ReturnType<typeof cobroOf>) => PromiseLike<{ count: number | null }>

/** Returns how many rows a list has. A list that fails or may not be read has none: the rest of the screen goes on. */
function useCount(name: string, read: Read): number {
  const { scope } = useMe()
  const { data } = useQuery({
    queryKey: [scope, 'attention', name],
    queryFn: async () => (await read(cobroOf(scope))).count ?? 0,
    retry: false,
  })
  return data ?? 0
}
