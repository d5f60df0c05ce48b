import { Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { useSession } from '../api/browser-session.tsx'
import { Forbidden, Loading, NotFound } from '../parts/states.tsx'
import { homeScope, isScope } from './scopes.ts'

const LoginScreen = lazy(() => import('../screens/login/login-screen.tsx'))

/** Shows the login page to who has no login, at the address that was asked for, and else the screen of the address. */
export function LoginGate() {
  const session = useSession()
  const navigate = useNavigate()
  const { scope } = useParams({ strict: false })
  const user = session.kind === 'open' ? session.login.user : undefined
  useEffect(() => {
    if (user && !scope) void navigate({ to: '/$scope/payments', params: { scope: homeScope(user) }, replace: true })
  }, [user, scope, navigate])
  if (session.kind === 'starting') return <Loading rows={3} />
  if (session.kind === 'closed')
    return (
      <Suspense fallback={null}>
        <LoginScreen reason={session.reason} />
      </Suspense>
    )
  if (scope && !isScope(scope)) return <NotFound />
  // A user of a merchant has no other scope, whatever the address says.
  if (scope && user?.merchant_id && scope !== user.merchant_id) return <Forbidden home={user.merchant_id} />
  return <Outlet />
}
