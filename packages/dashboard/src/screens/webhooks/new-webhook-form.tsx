import { useState } from 'react'
import { Button, Form, Heading } from 'react-aria-components'
import { cobroOf, queries } from '../../api/cobro.ts'
import { problemOf } from '../../api/problems.ts'
import { useConfirmed } from '../../api/use-confirmed.ts'
import buttons from '../../parts/buttons.module.css'
import { ConfirmForm } from '../../parts/confirm-form.tsx'
import dialogs from '../../parts/dialog.module.css'
import { Field } from '../../parts/field.tsx'
import { ShownOnce } from '../../parts/shown-once.tsx'
import { useTexts } from '../../text/locale.tsx'
import { shellTexts } from '../../text/shell-texts.ts'
import { webhooksTexts } from '../../text/webhooks-texts.ts'

interface NewWebhookFormProps {
  scope: string
  close: () => void
}

/** Adds an endpoint for all events, and shows its secret once. */
export function NewWebhookForm({ scope, close }: NewWebhookFormProps) {
  const texts = useTexts(webhooksTexts)
  const shell = useTexts(shellTexts)
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
    <Form
      onSubmit={event => {
        event.preventDefault()
        void run()
      }}
    >
      <Heading slot="title">{texts.newEndpoint}</Heading>
      <p>{texts.eventsHint}</p>
      <Field
        className={dialogs.field}
        label={texts.url}
        type="url"
        placeholder={texts.urlHint}
        isRequired
        isDisabled={isUnclear}
        autoFocus
        value={url}
        onChange={setUrl}
      />
      {error !== undefined && (
        <p className={dialogs.problem} role="alert">
          {texts.failed} <code>{problemOf(error).code}</code> {problemOf(error).detail}
        </p>
      )}
      <div className={dialogs.buttons}>
        <Button className={buttons.plain} isDisabled={isRunning} onPress={close}>
          {shell.cancel}
        </Button>
        <Button type="submit" className={buttons.primary} isDisabled={isRunning}>
          {texts.create}
        </Button>
      </div>
    </Form>
  )
}
