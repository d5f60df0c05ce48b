import { useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { placeOf, targetOf } from '../address/destination.ts'
import { useMe } from '../api/use-me.ts'
import { FindForm } from '../parts/find-form.tsx'
import { Loading } from '../parts/loading.tsx'
import { Message, NoPermission } from '../parts/states.tsx'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'

/** Leads on to where an id is shown, for links of those who do not know where that is. */
export function GoScreen(): ReactNode {
  const { id = '' } = useParams({ strict: false })
  const texts = useTexts(shellTexts)
  const { scope, me, may } = useMe()
  const place = placeOf(id)
  const navigate = useNavigate()
  const isOpen = place !== undefined && may(place.needs)
  useEffect(() => {
    const found = placeOf(id)
    if (isOpen && found) void navigate({ ...targetOf(found, scope), replace: true })
  }, [id, isOpen, scope, navigate])
  if (!place)
    return (
      <Message title={texts.nowhere(id)}>
        <span>{texts.nowhereHint}</span>
        <FindForm scope={scope} />
      </Message>
    )
  if (me && !isOpen) return <NoPermission operation={place.needs} />
  return <Loading rows={3} />
}
