import { useState } from 'react'
import { cobroOf, queries } from '../../api/cobro.ts'
import { useConfirmed } from '../../api/use-confirmed.ts'
import { ConfirmForm } from '../../parts/confirm-form.tsx'
import { Field } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { ShownOnce } from '../../parts/shown-once.tsx'
import { keysTexts } from '../../text/keys-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { readScopes } from './read-scopes.ts'

interface NewKeyFormProps {
  scope: string
  close: () => void
}

/** Creates a key and shows it once. */
export function NewKeyForm({ scope, close }: NewKeyFormProps) {
  const texts = useTexts(keysTexts)
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
    <FormDialog
      texts={{ title: texts.newKey, submit: texts.create, failed: texts.failed }}
      error={error}
      isRunning={isRunning}
      submit={run}
      close={close}
    >
      <Field
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
    </FormDialog>
  )
}
