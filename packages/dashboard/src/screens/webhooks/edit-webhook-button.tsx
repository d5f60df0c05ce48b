import type { Webhook } from '@cobro/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { changing, cobroOf } from '../../api/cobro.ts'
import { ConfirmedForm } from '../../parts/confirmed-form.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { Loading } from '../../parts/loading.tsx'
import { SelectField } from '../../parts/select-field.tsx'
import { Failed } from '../../parts/states.tsx'
import { useTexts } from '../../text/locale.tsx'
import { webhooksTexts } from '../../text/webhooks-texts.ts'
import { EndpointUrlField } from './endpoint-url-field.tsx'
import { EventChoice } from './event-choice.tsx'

interface EditWebhookProps {
  id: string
  scope: string
}

/** Changes the address of an endpoint, its events, and whether it receives anything. */
export function EditWebhookButton(props: EditWebhookProps) {
  const texts = useTexts(webhooksTexts)
  return (
    <DialogButton label={texts.edit} tone="plain" isWide>
      {close => <EditWebhook {...props} close={close} />}
    </DialogButton>
  )
}

/** Reads the endpoint first: a delivery has the address that it was sent to, which may be an earlier one. */
function EditWebhook({ id, scope, close }: EditWebhookProps & { close: () => void }) {
  const { data, error, refetch } = useQuery({
    queryKey: [scope, 'webhook', id],
    queryFn: ({ signal }) => cobroOf(scope).webhookEndpoints.retrieve(id, { signal }),
    staleTime: 0,
    gcTime: 0,
  })
  if (data) return <EditWebhookForm webhook={data} scope={scope} close={close} />
  return error ? <Failed error={error} retry={() => void refetch()} /> : <Loading rows={2} />
}

interface EditWebhookFormProps {
  webhook: Webhook
  scope: string
  close: () => void
}

/** Sends only what the user has changed: the endpoint may have been disabled since it was read. */
function EditWebhookForm({ webhook, scope, close }: EditWebhookFormProps) {
  const texts = useTexts(webhooksTexts)
  const [shown] = useState(webhook)
  const [url, setUrl] = useState(shown.url)
  const [status, setStatus] = useState(shown.status)
  const [events, setEvents] = useState<readonly string[]>(shown.events)
  const save = async () => {
    const changes = {
      ...(url.trim() !== shown.url && { url: url.trim() }),
      ...(status !== shown.status && { status }),
      ...(!isSame(events, shown.events) && { events: [...events] }),
    }
    const changed = ['webhooks', 'deliveries', 'delivery'].map(name => [scope, name])
    if (Object.keys(changes).length > 0)
      await changing(changed, () => cobroOf(scope).webhookEndpoints.update(shown.id, changes))
    close()
  }
  return (
    <ConfirmedForm
      texts={{ title: texts.edit, submit: texts.save, failed: texts.failed }}
      work={save}
      close={close}
      merchantId={shown.merchant_id}
    >
      {isUnclear => (
        <>
          <EndpointUrlField value={url} isDisabled={isUnclear} onChange={setUrl} />
          <SelectField label={texts.status} words={texts.statuses} value={status} choose={setStatus} />
          <EventChoice events={events} isDisabled={isUnclear} choose={setEvents} />
        </>
      )}
    </ConfirmedForm>
  )
}

/** Returns whether two lists name the same events. */
const isSame = (events: readonly string[], others: readonly string[]) =>
  events.length === others.length && events.every(event => others.includes(event))
