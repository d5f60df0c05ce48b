import type { LifecycleEvent, TransactionDetails } from '@cobro/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { cobroOf } from '../../api/cobro.ts'
import styles from '../../parts/detail.module.css'
import { Moment } from '../../parts/moment.tsx'
import { Failed, Loading, Message } from '../../parts/states.tsx'
import { useTexts } from '../../text/locale.tsx'
import { paymentTexts } from '../../text/payment-texts.ts'
import { isShown } from './payment-rules.ts'

const everyMs = 2_000
/** How often the timeline is read after a change of the payment. */
const reads = 4

interface TimelineProps {
  payment: TransactionDetails
  scope: string
  timeZone: string
}

/** What happened in the life of a payment, the oldest first: calls, attempts, outcomes and deliveries. */
export function Timeline({ payment, scope, timeZone }: TimelineProps) {
  const texts = useTexts(paymentTexts)
  const { correlation_id, status, refund_status } = payment
  const { data, error, refetch } = useQuery({
    // Read again whenever the payment has changed.
    queryKey: [scope, 'lifecycle', correlation_id, status, refund_status],
    queryFn: ({ signal }) => cobroOf(scope).lifecycles.list(correlation_id, { limit: 200 }, { signal }),
    placeholderData: (events, before) => (before?.queryKey[2] === correlation_id ? events : undefined),
    // What has just happened gets on record within a second or two.
    refetchInterval: ({ state }) =>
      state.status !== 'error' && (state.dataUpdateCount < reads || status === 'pending') ? everyMs : false,
  })
  if (error && !data) return <Failed error={error} retry={() => void refetch()} />
  if (!data) return <Loading />
  const events = data.data.filter(isShown)
  if (events.length === 0) return <Message title={texts.timelineEmpty} />
  return (
    <ol className={styles.timeline}>
      {events.map(event => (
        <li key={event.id} data-call={event.action === 'http.request'}>
          <Moment at={event.occurred_at} timeZone={timeZone} />
          <EventName event={event} names={texts.events} />
        </li>
      ))}
    </ol>
  )
}

function EventName({ event, names }: { event: LifecycleEvent; names: Readonly<Record<string, string>> }) {
  const { action, method, path, status_code } = event
  if (action === 'http.request')
    return (
      <code>
        {method} {path} → {status_code}
      </code>
    )
  return names[action] ? <span>{names[action]}</span> : <code>{action}</code>
}
