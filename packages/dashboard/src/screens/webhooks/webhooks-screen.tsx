import type { Webhook } from '@cobro/sdk/admin'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { CancelButton } from '../../parts/cancel-button.tsx'
import { useMerchantColumn } from '../../parts/columns.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import styles from '../../parts/list.module.css'
import { ListScreen } from '../../parts/list-screen.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { Moment } from '../../parts/moment.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useTexts } from '../../text/locale.tsx'
import { webhooksTexts } from '../../text/webhooks-texts.ts'
import { EditWebhookButton } from './edit-webhook-button.tsx'
import { NewWebhookForm } from './new-webhook-form.tsx'
import { RotateSecretButton } from './rotate-secret-button.tsx'
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
            <DialogButton label={texts.newEndpoint} tone="primary" isDismissable={false} isWide>
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
  const { scope, timeZone } = useMe()
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
    ...useMerchantColumn<Webhook>(),
    {
      title: '',
      cell: webhook => <WebhookActions webhook={webhook} scope={scope} />,
    },
  ]
}

function WebhookActions({ webhook: { id, merchant_id, url, status }, scope }: { webhook: Webhook; scope: string }) {
  const texts = useTexts(webhooksTexts)
  const { may } = useMe()
  const { deleteTitle, deleteText, deleteEndpoint, failed } = texts
  return (
    <span className={styles.actions}>
      {may('updateWebhook') && <EditWebhookButton id={id} scope={scope} />}
      {may('rotateWebhookSecret') && <RotateSecretButton id={id} merchantId={merchant_id} url={url} scope={scope} />}
      {may('testWebhook') && status === 'active' && <TestButton id={id} scope={scope} />}
      {may('deleteWebhook') && (
        <CancelButton
          texts={{ title: deleteTitle(url), text: deleteText, submit: deleteEndpoint, failed }}
          merchantId={merchant_id}
          cancel={() => cobroOf(scope).webhookEndpoints.delete(id)}
          changed={['webhooks', 'deliveries', 'delivery'].map(name => [scope, name])}
        />
      )}
    </span>
  )
}
