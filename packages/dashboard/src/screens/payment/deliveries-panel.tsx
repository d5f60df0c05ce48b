import type { TransactionDetails, WebhookDelivery } from '@cobro/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import styles from '../../parts/list.module.css'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ResendButton } from '../../parts/resend-button.tsx'
import { RowLink } from '../../parts/row-link.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useTexts } from '../../text/locale.tsx'
import { paymentPanelsTexts } from '../../text/payment-panels-texts.ts'
import { webhooksTexts } from '../../text/webhooks-texts.ts'
import { deliveriesEveryMs } from './payment-rules.ts'

/** How many deliveries the panel shows, the newest first. */
const shown = 10

interface DeliveriesPanelProps {
  payment: TransactionDetails
  scope: string
}

/** What was sent to webhooks of a payment, and whether it arrived. */
export function DeliveriesPanel({ payment, scope }: DeliveriesPanelProps) {
  const texts = useTexts(paymentPanelsTexts)
  const columns = useDeliveryColumns(scope)
  const { correlation_id, status, refund_status } = payment
  const deliveries = useQuery({
    queryKey: [scope, 'deliveries', 'of', correlation_id, status, refund_status],
    queryFn: ({ signal }) =>
      cobroOf(scope).webhookDeliveries.list({ correlation_id, limit: shown, count: 'none' }, { signal }),
    placeholderData: (rows, before) => (before?.queryKey[3] === correlation_id ? rows : undefined),
    refetchInterval: ({ state }) =>
      state.status === 'error' ? false : deliveriesEveryMs(state.data?.data ?? [], state.dataUpdateCount),
  })
  return (
    <Panel title={texts.deliveries} query={deliveries}>
      {({ data, hasNext }) =>
        data.length === 0 ? (
          <p>{texts.noDeliveries}</p>
        ) : (
          <>
            <ListTable rows={data} columns={columns} />
            {hasNext && (
              <p>
                <Link to="/$scope/deliveries" params={{ scope }} search={{ correlation_id }}>
                  {texts.allDeliveries}
                </Link>
              </p>
            )}
          </>
        )
      }
    </Panel>
  )
}

function useDeliveryColumns(scope: string): Column<WebhookDelivery>[] {
  const { deliveries: texts } = useTexts(webhooksTexts)
  const { may } = useMe()
  return [
    {
      title: texts.event,
      cell: ({ id, event }) => (
        <RowLink to="/$scope/deliveries/$id" id={id}>
          <code>{event}</code>
        </RowLink>
      ),
    },
    { title: texts.status, cell: ({ status }) => <StatusBadge status={status} word={texts.statuses[status]} /> },
    { title: texts.answer, cell: ({ response_status }) => response_status ?? texts.noAnswer },
    { title: texts.endpoint, cell: ({ url }) => url },
    {
      title: '',
      cell: delivery =>
        may('redeliverWebhook') && (
          <span className={styles.above}>
            <ResendButton delivery={delivery} scope={scope} />
          </span>
        ),
    },
  ]
}
