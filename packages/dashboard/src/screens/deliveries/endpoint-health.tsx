import { formatCount } from '@cobro/look/formats'
import type { WebhookReport } from '@cobro/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import detail from '../../parts/detail.module.css'
import list from '../../parts/list.module.css'
import { useFailed } from '../../parts/loaded.tsx'
import { Repeat } from '../../parts/repeat.tsx'
import { homeTexts } from '../../text/home-texts.ts'
import { useLocale, useTexts } from '../../text/locale.tsx'
import { shellTexts } from '../../text/shell-texts.ts'
import { webhooksTexts } from '../../text/webhooks-texts.ts'
import home from '../home/home.module.css'
import styles from './endpoint-health.module.css'

/** How the requests to an endpoint went in the last seven days, in as much room before that is known: the list below stays where it is. */
export function EndpointHealth({ webhookId }: { webhookId: string }) {
  const { deliveries: texts } = useTexts(webhooksTexts)
  const shell = useTexts(shellTexts)
  const { me, may } = useMe()
  const report = useEndpointReport(webhookId)
  const failed = useFailed(report)
  const numbers = useNumbers(report.data)
  if (me && !may('getWebhookReport')) return null
  return (
    <section className={`${detail.panel} ${styles.health}`} aria-label={texts.health} aria-busy={report.isFetching}>
      <header className={list.head}>
        <h2>{texts.health}</h2>
        {failed && (
          <>
            <span role="alert">{report.data ? shell.notCurrent : shell.failed}</span>
            <Repeat {...failed} />
          </>
        )}
      </header>
      <dl className={home.headlines}>
        {numbers.map(([title, number]) => (
          <div key={title} className={home.headline}>
            <dt>{title}</dt>
            <dd className={home.number}>{number ?? '…'}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const hourMs = 3_600_000
const periodMs = 7 * 24 * hourMs
const refreshEveryMs = 30_000

// Home has a hook for reports, but what both import would be one more file of a cold load.
function useEndpointReport(webhook_id: string) {
  const { scope, may } = useMe()
  const until = Math.ceil(Date.now() / hourMs) * hourMs
  const [from, to] = [until - periodMs, until].map(at => new Date(at).toISOString())
  return useQuery({
    queryKey: [scope, 'report of an endpoint', webhook_id, to],
    queryFn: ({ signal }) =>
      cobroOf(scope).reports.webhooks({ webhook_id, from, to, tz: 'UTC', interval: 'day' }, { signal }),
    enabled: may('getWebhookReport'),
    refetchInterval: refreshEveryMs,
    placeholderData: report => report,
  })
}

/** Returns the numbers of a report with their titles; undefined before it has been read. */
function useNumbers(report: WebhookReport | undefined): [title: string, number: string | undefined][] {
  const texts = useTexts(homeTexts)
  const { locale } = useLocale()
  const totals = report?.totals
  const count = (value: number | undefined) => (value === undefined ? undefined : formatCount(value, locale))
  const milliseconds = (value: number | null | undefined) =>
    value === null ? texts.none : value === undefined ? undefined : `${formatCount(Math.round(value), locale)} ms`
  return [
    [texts.delivered, count(totals?.succeeded)],
    [texts.undelivered, count(totals?.failed)],
    [texts.answered.p50_ms, milliseconds(totals?.p50_ms)],
    [texts.answered.p95_ms, milliseconds(totals?.p95_ms)],
    [texts.waiting, count(report?.pending)],
  ]
}
