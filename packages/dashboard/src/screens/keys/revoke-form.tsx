import type { ApiKey } from '@cobro/sdk/admin'
import { changing, cobroOf } from '../../api/cobro.ts'
import { ActionForm } from '../../parts/action-form.tsx'
import { keysTexts } from '../../text/keys-texts.ts'
import { useTexts } from '../../text/locale.tsx'

interface RevokeFormProps {
  apiKey: ApiKey
  scope: string
  close: () => void
}

export function RevokeForm({ apiKey: { id, merchant_id, name }, scope, close }: RevokeFormProps) {
  const { revokeTitle, revokeText, revoke, failed } = useTexts(keysTexts)
  const work = async () => {
    await changing([[scope, 'keys']], () => cobroOf(scope).apiKeys.delete(id))
    close()
  }
  return (
    <ActionForm
      texts={{ title: revokeTitle(name), text: revokeText, submit: revoke, failed }}
      work={work}
      close={close}
      merchantId={merchant_id}
    />
  )
}
