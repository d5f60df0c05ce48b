import { Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { pageOwner } from '../api/session.ts'
import { useSession } from '../api/session-context.tsx'
import { Forbidden, NotFound } from '../parts/states.tsx'
import { homeScope, isScope } from './scopes.ts'

/**
 * Shows the screen of the address if its scope is one of the user's. An address without a scope leads to the user's own,
 * also one that goes to an id.
 */
export function ScopeGate() {
  const user = pageOwner(useSession())
  const navigate = useNavigate()
  const { scope, id } = useParams({ strict: false })
  useEffect(() => {
    if (!user || scope) return
    const home = homeScope(user)
    if (id === undefined) void navigate({ to: '/$scope', params: { scope: home }, search: {}, replace: true })
    else void navigate({ to: '/$scope/go/$id', params: { scope: home, id }, replace: true })
  }, [user, scope, id, navigate])
  if (scope && !isScope(scope)) return <NotFound />
  // A user of a merchant has no other scope, whatever the address says.
  if (scope && user?.merchant_id && scope !== user.merchant_id) return <Forbidden home={user.merchant_id} />
  return <Outlet />
}
