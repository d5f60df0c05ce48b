import { authOperations } from '@cobro/contracts'
import { type Route, route } from '@cobro/http'
import type { Request } from 'express'
import { callOf } from '../calls/open-call.ts'
import { logIn } from './log-in.ts'
import { logOut } from './log-out.ts'
import { refreshLogin } from './refresh-login.ts'
import type { Login, LoginDeps } from './user-login.ts'

export function authRoutes(deps: LoginDeps): Route[] {
  return [
    route(authOperations.login, async ({ body, request }) =>
      recorded(request, await logIn(deps, { ...body, address: callOf(request).ip })),
    ),
    route(authOperations.refresh, async ({ body, request }) =>
      recorded(request, await refreshLogin(deps, body.refresh_token)),
    ),
    route(authOperations.logout, async ({ body }) => {
      await logOut(deps, body.refresh_token)
      return { data: { logged_out: true as const } }
    }),
    route(authOperations.jwks, async ({ request }) => {
      request.res?.set('Cache-Control', 'public, max-age=300')
      return { keys: await deps.tokens.keys.published() }
    }),
  ]
}

/** Who a call with a password or a refresh token came from is known only now. */
function recorded(request: Request, login: Login): Login {
  const call = callOf(request)
  call.actor = { type: login.user.role, id: login.user.id }
  call.merchant_id = login.user.merchant_id
  return login
}
