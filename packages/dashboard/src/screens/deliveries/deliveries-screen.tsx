import type { WebhookDelivery } from '@cobro/sdk/admin'
import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Search } from '../../address/search.ts'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import styles from '../../parts/list.module.css'
import { ListScreen } from '../../parts/list-screen.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { Moment } from '../../parts/moment.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { listTexts } from '../../text/list-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { webhooksTexts } from '../../text/webhooks-texts.ts'

/** What was sent to the webhooks of the scope, or to the one that the address names. */
export function DeliveriesScreen(): ReactNode {
  const { deliveries: texts } = useTexts(webhooksTexts)
  const { webhook_id } = useSearch({ strict: false }) as Search
  const { scope } = useMe()
  const chosen = webhook_id ? { [webhook_id]: webhook_id } : undefined
  return (
    <ListScreen
      name="deliveries"
      texts={texts}
      choices={[
        { name: 'status', label: texts.status, words: texts.statuses },
        ...(chosen ? [{ name: 'webhook_id', label: texts.endpoint, words: chosen }] : []),
      ]}
      columns={useDeliveryColumns()}
      read={(params, signal) => cobroOf(scope).webhookDeliveries.list(params, { signal })}
    />
  )
}

function useDeliveryColumns(): Column<WebhookDelivery>[] {
  const { deliveries: texts } = useTexts(webhooksTexts)
  const shared = useTexts(listTexts)
  const { scope, timeZone } = useMe()
  return [
    {
      title: shared.date(timeZone),
      cell: ({ id, created_at }) => (
        <Link className={styles.row} to="/$scope/deliveries/$id" params={{ scope, id }}>
          <Moment at={created_at} timeZone={timeZone} />
        </Link>
      ),
    },
    { title: texts.event, cell: ({ event }) => <code>{event}</code> },
    { title: texts.status, cell: ({ status }) => <StatusBadge status={status} word={texts.statuses[status]} /> },
    { title: texts.answer, cell: ({ response_status }) => response_status ?? texts.noAnswer },
    { title: texts.attempts, isNumber: true, cell: ({ attempt_count }) => attempt_count },
    { title: texts.endpoint, cell: ({ url }) => url },
  ]
}
