import { useMe } from '../api/use-me.ts'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'

/** Names the merchant in a dialog of an operator, who has many. `merchantId` is that of the object, for the scope of all. */
export function ActingFor({ merchantId }: { merchantId: string | undefined }) {
  const texts = useTexts(shellTexts)
  const { me } = useMe()
  const name = me?.merchant?.name ?? merchantId
  return me?.kind === 'operator' && name ? <p>{texts.actingFor(name)}</p> : null
}
