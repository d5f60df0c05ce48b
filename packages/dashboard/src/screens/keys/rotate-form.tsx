import type { ApiKey } from '@cobro/sdk/admin'
import { useState } from 'react'
import { cobroOf, queries } from '../../api/cobro.ts'
import { ActionForm } from '../../parts/action-form.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { ShownOnce } from '../../parts/shown-once.tsx'
import { keysTexts } from '../../text/keys-texts.ts'
import { useTexts } from '../../text/locale.tsx'

interface RotateProps {
  apiKey: ApiKey
  scope: string
}

/** Creates the successor of a key and shows it once. */
export function RotateButton(rotated: RotateProps) {
  const { rotate } = useTexts(keysTexts)
  // Until a rotation has succeeded, also if its dialog is closed meanwhile: a second rotation would make a second successor.
  const [idempotencyKey, setKey] = useState(() => crypto.randomUUID())
  const renewKey = () => setKey(crypto.randomUUID())
  return (
    <DialogButton label={rotate} tone="plain" isDismissable={false}>
      {close => <RotateForm {...rotated} {...{ idempotencyKey, renewKey, close }} />}
    </DialogButton>
  )
}

interface RotateFormProps extends RotateProps {
  idempotencyKey: string
  renewKey: () => void
  close: () => void
}

function RotateForm({ apiKey, scope, idempotencyKey, renewKey, close }: RotateFormProps) {
  const texts = useTexts(keysTexts)
  const { id, merchant_id, name } = apiKey
  const [key, setKey] = useState<string>()
  const end = () => {
    close()
    // Only now: the dialog is part of the row of the old key, which the new one may move to the next page.
    void queries.invalidateQueries({ queryKey: [scope, 'keys'] })
  }
  const rotate = async () => {
    setKey((await cobroOf(scope).apiKeys.rotate(id, {}, { idempotencyKey })).key)
    renewKey()
  }
  if (key !== undefined) {
    const once = { title: texts.key, hint: texts.shownOnce, stored: texts.stored }
    return <ShownOnce texts={once} value={key} close={end} />
  }
  return (
    <ActionForm
      texts={{ title: texts.rotateTitle(name), text: texts.rotateText, submit: texts.rotate, failed: texts.failed }}
      work={rotate}
      close={end}
      merchantId={merchant_id}
      isHarmless
    />
  )
}
