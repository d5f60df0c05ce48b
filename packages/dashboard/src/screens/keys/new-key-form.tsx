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
import { keysTexts } from '../../text/keys-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { shellTexts } from '../../text/shell-texts.ts'
import { readScopes } from './read-scopes.ts'

interface NewKeyFormProps {
  scope: string
  close: () => void
}

/** Creates a key and shows it once. */
export function NewKeyForm({ scope, close }: NewKeyFormProps) {
  const texts = useTexts(keysTexts)
  const shell = useTexts(shellTexts)
  const [name, setName] = useState('')
  const [isReadOnly, setReadOnly] = useState(false)
  const [key, setKey] = useState<string>()
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const { run, confirm, needsConfirmation, error, isRunning, isUnclear } = useConfirmed(async () => {
    const input = { name: name.trim(), ...(isReadOnly && { scopes: [...readScopes] }) }
    setKey((await cobroOf(scope).apiKeys.create(input, { idempotencyKey })).key)
    void queries.invalidateQueries({ queryKey: [scope, 'keys'] })
  })
  if (key !== undefined) {
    const once = { title: texts.key, hint: texts.shownOnce, stored: texts.stored }
    return <ShownOnce texts={once} value={key} close={close} />
  }
  if (needsConfirmation) return <ConfirmForm confirm={confirm} error={error} close={close} />
  return (
    <Form
      onSubmit={event => {
        event.preventDefault()
        void run()
      }}
    >
      <Heading slot="title">{texts.newKey}</Heading>
      <Field
        className={dialogs.field}
        label={texts.name}
        isRequired
        isDisabled={isUnclear}
        autoFocus
        maxLength={100}
        value={name}
        onChange={setName}
      />
      <label>
        <input
          type="checkbox"
          checked={isReadOnly}
          disabled={isUnclear}
          onChange={event => setReadOnly(event.target.checked)}
        />{' '}
        {texts.readOnly}
      </label>
      {error !== undefined && (
        <p className={dialogs.problem} role="alert">
          {texts.failed} <code>{problemOf(error).code}</code>
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
