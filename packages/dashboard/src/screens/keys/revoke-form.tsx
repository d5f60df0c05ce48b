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

export function RevokeForm({ apiKey: { id, merchant_id, name }, scope, close }: RevokeFormProps) {
  const { revokeTitle, revokeText, revoke, failed } = useTexts(keysTexts)
  const work = async () => {
    try {
      await cobroOf(scope).apiKeys.delete(id)
      close()
    } finally {
      // Also after an error: it may have been revoked although its answer was lost.
      void queries.invalidateQueries({ queryKey: [scope, 'keys'] })
    }
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
