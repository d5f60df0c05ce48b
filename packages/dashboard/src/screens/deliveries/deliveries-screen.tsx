import type { WebhookDelivery } from '@cobro/sdk/admin'
import { useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Search } from '../../address/search.ts'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { created, useDateColumn, useMerchantColumn } from '../../parts/columns.tsx'
import { ListScreen } from '../../parts/list-screen.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { UnavailableButton } from '../../parts/unavailable-button.tsx'
import { useNamedChoices } from '../../parts/use-named-choices.ts'
import { useTexts } from '../../text/locale.tsx'
import { webhooksTexts } from '../../text/webhooks-texts.ts'
import { EndpointHealth } from './endpoint-health.tsx'
import { endedAs, ResendAllButton } from './resend-all-button.tsx'

/** What was sent to the webhooks of the scope, or to the one that the address names. */
export function DeliveriesScreen(): ReactNode {
  const { deliveries: texts } = useTexts(webhooksTexts)
  const { scope } = useMe()
  const { webhook_id } = useSearch({ strict: false }) as Search
  const named = useNamedChoices({ webhook_id: texts.endpoint, correlation_id: texts.payment, event_id: texts.event })
  return (
    <ListScreen
      name="deliveries"
      // Any event may be sent.
      events=""
      texts={texts}
      choices={[{ name: 'status', label: texts.status, words: texts.statuses }, ...named]}
      columns={useDeliveryColumns()}
      read={(params, signal) => cobroOf(scope).webhookDeliveries.list(params, { signal })}
      actions={<ResendShown />}
      above={webhook_id && <EndpointHealth key={webhook_id} webhookId={webhook_id} />}
    />
  )
}

/** Sends what the list shows once more. By what else the list is filtered, the operation would send more than it shows. */
function ResendShown() {
  const { deliveries: texts } = useTexts(webhooksTexts)
  const { me, may } = useMe()
  const { webhook_id, status, search, correlation_id, event_id, from, to } = useSearch({ strict: false }) as Search
  const end = endedAs(status)
  if (webhook_id && end && !search && !correlation_id && !event_id)
    return <ResendAllButton webhookId={webhook_id} status={end} from={from} to={to} />
  // On phones it needs lines of its own, also before it is known who calls.
  return (!me || may('redeliverToWebhook')) && <UnavailableButton label={texts.resendAll} reason={texts.resendNeeds} />
}

function useDeliveryColumns(): Column<WebhookDelivery>[] {
  const { deliveries: texts } = useTexts(webhooksTexts)
  return [
    useDateColumn('/$scope/deliveries/$id', created),
    { title: texts.event, cell: ({ event }) => <code>{event}</code> },
    { title: texts.status, cell: ({ status }) => <StatusBadge status={status} word={texts.statuses[status]} /> },
    { title: texts.answer, cell: ({ response_status }) => response_status ?? texts.noAnswer },
    { title: texts.attempts, isNumber: true, cell: ({ attempt_count }) => attempt_count },
    { title: texts.endpoint, cell: ({ url }) => url },
    ...useMerchantColumn<WebhookDelivery>(),
  ]
}
