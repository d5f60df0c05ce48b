import { Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { pageOwner } from '../api/session.ts'
import { useSession } from '../api/session-context.tsx'
import { Forbidden, NotFound } from '../parts/states.tsx'
import { homeScope, isScope } from './scopes.ts'

/** Shows the screen of the address if its scope is one of the user's. An address without a scope leads to the user's own. */
export function ScopeGate() {
  const user = pageOwner(useSession())
  const navigate = useNavigate()
  const { scope } = useParams({ strict: false })
  useEffect(() => {
    if (user && !scope) void navigate({ to: '/$scope', params: { scope: homeScope(user) }, search: {}, replace: true })
  }, [user, scope, navigate])
  if (scope && !isScope(scope)) return <NotFound />
  // A user of a merchant has no other scope, whatever the address says.
  if (scope && user?.merchant_id && scope !== user.merchant_id) return <Forbidden home={user.merchant_id} />
  return <Outlet />
}
