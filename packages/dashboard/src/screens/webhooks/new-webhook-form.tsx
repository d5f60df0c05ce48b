import { useState } from 'react'
import { changing, cobroOf } from '../../api/cobro.ts'
import { ConfirmedForm } from '../../parts/confirmed-form.tsx'
import { useTexts } from '../../text/locale.tsx'
import { webhooksTexts } from '../../text/webhooks-texts.ts'
import { EndpointUrlField } from './endpoint-url-field.tsx'
import { EventChoice, everyEvent } from './event-choice.tsx'
import { SecretOnce } from './secret-once.tsx'

interface NewWebhookFormProps {
  scope: string
  close: () => void
}

/** Adds an endpoint, and shows its secret once. */
export function NewWebhookForm({ scope, close }: NewWebhookFormProps) {
  const texts = useTexts(webhooksTexts)
  const [url, setUrl] = useState('')
  const [events, setEvents] = useState(everyEvent)
  const [secret, setSecret] = useState<string>()
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const work = async () => {
    const input = { url: url.trim(), events: [...events] }
    const { secret } = await changing([[scope, 'webhooks']], () =>
      cobroOf(scope).webhookEndpoints.create(input, { idempotencyKey }),
    )
    setSecret(secret)
  }
  if (secret !== undefined) return <SecretOnce secret={secret} close={close} />
  return (
    <ConfirmedForm
      texts={{ title: texts.newEndpoint, submit: texts.create, failed: texts.failed }}
      work={work}
      close={close}
    >
      {isUnclear => (
        <>
          <EndpointUrlField value={url} isDisabled={isUnclear} onChange={setUrl} />
          <EventChoice events={events} isDisabled={isUnclear} choose={setEvents} />
        </>
      )}
    </ConfirmedForm>
  )
}
