import type { ApiRequest } from '@cobro/sdk/admin'
import { useTexts } from '../text/locale.tsx'
import { requestsTexts } from '../text/requests-texts.ts'

/** Who made a call: the kind of caller, and its id. */
export function Caller({ actor: { type, id } }: Pick<ApiRequest, 'actor'>) {
  const { callers } = useTexts(requestsTexts)
  return (
    <>
      {callers[type] ?? type} {id && <code>{id}</code>}
    </>
  )
}
