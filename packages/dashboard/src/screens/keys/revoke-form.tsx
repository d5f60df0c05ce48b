import type { ApiKey } from '@cobro/sdk/admin'
import { Button, Heading } from 'react-aria-components'
import { cobroOf, queries } from '../../api/cobro.ts'
import { problemOf } from '../../api/problems.ts'
import { useConfirmed } from '../../api/use-confirmed.ts'
import buttons from '../../parts/buttons.module.css'
import { ConfirmForm } from '../../parts/confirm-form.tsx'
import dialogs from '../../parts/dialog.module.css'
import { keysTexts } from '../../text/keys-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { shellTexts } from '../../text/shell-texts.ts'

interface RevokeFormProps {
  apiKey: ApiKey
  scope: string
  close: () => void
}

export function RevokeForm({ apiKey: { id, name }, scope, close }: RevokeFormProps) {
  const texts = useTexts(keysTexts)
  const shell = useTexts(shellTexts)
  const { run, confirm, needsConfirmation, error } = useConfirmed(async () => {
    await cobroOf(scope).apiKeys.delete(id)
    close()
    void queries.invalidateQueries({ queryKey: [scope, 'keys'] })
  })
  if (needsConfirmation) return <ConfirmForm confirm={confirm} error={error} close={close} />
  return (
    <>
      <Heading slot="title">{texts.revokeTitle(name)}</Heading>
      <p>{texts.revokeText}</p>
      {error !== undefined && (
        <p className={dialogs.problem} role="alert">
          {texts.failed} <code>{problemOf(error).code}</code>
        </p>
      )}
      <div className={dialogs.buttons}>
        <Button className={buttons.plain} onPress={close}>
          {shell.cancel}
        </Button>
        <Button className={buttons.danger} onPress={() => void run()}>
          {texts.revoke}
        </Button>
      </div>
    </>
  )
}
