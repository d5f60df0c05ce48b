import type { Webhook } from '@cobro/sdk/admin'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { DialogButton } from '../../parts/dialog-button.tsx'
import styles from '../../parts/list.module.css'
import { ListScreen } from '../../parts/list-screen.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { Moment } from '../../parts/moment.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useTexts } from '../../text/locale.tsx'
import { webhooksTexts } from '../../text/webhooks-texts.ts'
import { NewWebhookForm } from './new-webhook-form.tsx'
import { TestButton } from './test-button.tsx'

/** The webhook endpoints of the scope. */
export function WebhooksScreen(): ReactNode {
  const texts = useTexts(webhooksTexts)
  const { scope, me, may } = useMe()
  return (
    <ListScreen
      name="webhooks"
      texts={texts}
      choices={[{ name: 'status', label: texts.status, words: texts.statuses }]}
      columns={useWebhookColumns()}
      read={(params, signal) => cobroOf(scope).webhookEndpoints.list(params, { signal })}
      actions={
        <>
          <Link to="/$scope/deliveries" params={{ scope }} search={{}}>
            {texts.deliveries.title}
          </Link>
          {may('createWebhook') && me?.merchant && (
            <DialogButton label={texts.newEndpoint} tone="primary" isDismissable={false}>
              {close => <NewWebhookForm scope={scope} close={close} />}
            </DialogButton>
          )}
        </>
      }
    />
  )
}

function useWebhookColumns(): Column<Webhook>[] {
  const texts = useTexts(webhooksTexts)
  const { scope, may, timeZone } = useMe()
  return [
    {
      title: texts.url,
      // Its deliveries: what one wants to know of an endpoint is whether it works.
      cell: ({ id, url }) => (
        <Link className={styles.row} to="/$scope/deliveries" params={{ scope }} search={{ webhook_id: id }}>
          {url}
        </Link>
      ),
    },
    { title: texts.status, cell: ({ status }) => <StatusBadge status={status} word={texts.statuses[status]} /> },
    {
      title: texts.events,
      cell: ({ events }) => (events.includes('*') ? texts.allEvents : texts.eventCount(events.length)),
    },
    {
      title: texts.lastDelivery,
      cell: ({ last_delivery_at }) =>
        last_delivery_at ? <Moment at={last_delivery_at} timeZone={timeZone} /> : texts.never,
    },
    {
      title: '',
      cell: ({ id, status }) => may('testWebhook') && status === 'active' && <TestButton id={id} scope={scope} />,
    },
  ]
}
