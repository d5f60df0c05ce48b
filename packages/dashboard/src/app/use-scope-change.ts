import { useMatches } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { queries } from '../api/cobro.ts'
import { useMe } from '../api/use-me.ts'
import { rememberScope } from './recent-scopes.ts'
import type { Section } from './sections.ts'

type ListPath = Section['to'] | '/$scope/deliveries' | '/$scope/terminals'

/** Returns the list that is shown, or that of the object that is: where another merchant's scope begins. */
export function useListPath(): ListPath {
  const path = useMatches({ select: matches => matches.at(-1)?.fullPath ?? '' })
  return path.replace(/\/(?:(?:go\/)?\$id)?$/, '') as ListPath
}

/** Forgets what was read in a scope that is left, and remembers the merchants that an operator acts for. */
export function useScopeChange(): void {
  const { scope, me } = useMe()
  const shown = useRef(scope)
  useEffect(() => {
    if (shown.current === scope) return
    queries.removeQueries({ queryKey: [shown.current] })
    shown.current = scope
  }, [scope])
  useEffect(() => {
    if (me?.kind === 'operator' && me.merchant) rememberScope(me.id, me.merchant, localStorage)
  }, [me])
}
