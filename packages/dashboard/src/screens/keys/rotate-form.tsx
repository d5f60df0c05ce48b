import type { ApiKey } from '@cobro/sdk/admin'
import { useState } from 'react'
import { cobroOf, queries } from '../../api/cobro.ts'
import { ActionForm } from '../../parts/action-form.tsx'
import { ShownOnce } from '../../parts/shown-once.tsx'
import { keysTexts } from '../../text/keys-texts.ts'
import { useTexts } from '../../text/locale.tsx'

interface RotateFormProps {
  apiKey: ApiKey
  scope: string
  close: () => void
}

/** Creates the successor of a key and shows it once. */
export function RotateForm({ apiKey: { id, name }, scope, close }: RotateFormProps) {
  const texts = useTexts(keysTexts)
  const [key, setKey] = useState<string>()
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  if (key !== undefined) {
    const once = { title: texts.key, hint: texts.shownOnce, stored: texts.stored }
    const stored = () => {
      close()
      // Only now: the dialog is part of the row of the old key, which the new one may move to the next page.
      void queries.invalidateQueries({ queryKey: [scope, 'keys'] })
    }
    return <ShownOnce texts={once} value={key} close={stored} />
  }
  return (
    <ActionForm
      texts={{ title: texts.rotateTitle(name), text: texts.rotateText, submit: texts.rotate, failed: texts.failed }}
      work={async () => setKey((await cobroOf(scope).apiKeys.rotate(id, {}, { idempotencyKey })).key)}
      close={close}
      isHarmless
    />
  )
}
