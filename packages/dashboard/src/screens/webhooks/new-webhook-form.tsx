import { useState } from 'react'
import { cobroOf, queries } from '../../api/cobro.ts'
import { useConfirmed } from '../../api/use-confirmed.ts'
import { ConfirmForm } from '../../parts/confirm-form.tsx'
import { Field } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { ShownOnce } from '../../parts/shown-once.tsx'
import { useTexts } from '../../text/locale.tsx'
import { webhooksTexts } from '../../text/webhooks-texts.ts'

interface NewWebhookFormProps {
  scope: string
  close: () => void
}

/** Adds an endpoint for all events, and shows its secret once. */
export function NewWebhookForm({ scope, close }: NewWebhookFormProps) {
  const texts = useTexts(webhooksTexts)
  const [url, setUrl] = useState('')
  const [secret, setSecret] = useState<string>()
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const { run, confirm, needsConfirmation, error, isRunning, isUnclear } = useConfirmed(async () => {
    const input = { url: url.trim(), events: ['*'] }
    setSecret((await cobroOf(scope).webhookEndpoints.create(input, { idempotencyKey })).secret)
    void queries.invalidateQueries({ queryKey: [scope, 'webhooks'] })
  })
  if (secret !== undefined) {
    const once = { title: texts.secret, hint: texts.shownOnce, stored: texts.stored }
    return <ShownOnce texts={once} value={secret} close={close} />
  }
  if (needsConfirmation) return <ConfirmForm confirm={confirm} error={error} close={close} />
  return (
    <FormDialog
      texts={{ title: texts.newEndpoint, submit: texts.create, failed: texts.failed }}
      error={error}
      isRunning={isRunning}
      submit={run}
      close={close}
    >
      <p>{texts.eventsHint}</p>
      <Field
        label={texts.url}
        type="url"
        placeholder={texts.urlHint}
        isRequired
        isDisabled={isUnclear}
        autoFocus
        value={url}
        onChange={setUrl}
      />
    </FormDialog>
  )
}
