import type { ApiKey } from '@cobro/sdk/admin'
import { cobroOf, queries } from '../../api/cobro.ts'
import { ActionForm } from '../../parts/action-form.tsx'
import { keysTexts } from '../../text/keys-texts.ts'
import { useTexts } from '../../text/locale.tsx'

interface RevokeFormProps {
  apiKey: ApiKey
  scope: string
  close: () => void
}

export function RevokeForm({ apiKey: { id, name }, scope, close }: RevokeFormProps) {
  const { revokeTitle, revokeText, revoke, failed } = useTexts(keysTexts)
  const work = async () => {
    await cobroOf(scope).apiKeys.delete(id)
    close()
    void queries.invalidateQueries({ queryKey: [scope, 'keys'] })
  }
  return (
    <ActionForm
      texts={{ title: revokeTitle(name), text: revokeText, submit: revoke, failed }}
      work={work}
      close={close}
    />
  )
}
