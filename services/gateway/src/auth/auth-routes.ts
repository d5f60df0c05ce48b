import { authOperations, ownLoginOperations } from '@cobro/contracts'
import { type Route, route } from '@cobro/http'
import type { Logger } from '@cobro/runtime'
import { callOf } from '../calls/open-call.ts'
import { addressGroup } from '../network/address-group.ts'
import { confirmLogin } from './confirm-login.ts'
import { logIn } from './log-in.ts'
import { logOut } from './log-out.ts'
import { loginOf } from './login-of-call.ts'
import { changePassword, endOtherLogins } from './own-logins.ts'
import { recordUser } from './record-user.ts'
import { refreshLogin } from './refresh-login.ts'
import { requestPasswordReset } from './request-password-reset.ts'
import { setPassword } from './set-password.ts'
import type { LoginDeps } from './user-login.ts'

export function authRoutes(deps: LoginDeps & { logger: Logger }): Route[] {
  return [
    route(authOperations.login, async ({ body, request }) => {
      const login = await logIn(deps, { ...body, address: addressGroup(callOf(request).ip) })
      recordUser(request, login.user)
      return login
    }),
    route(authOperations.refresh, async ({ body, request }) => {
      const login = await refreshLogin(deps, { ...body, address: addressGroup(callOf(request).ip) })
      recordUser(request, login.user)
      return login
    }),
    route(authOperations.confirm, async ({ body, request }) => {
      const login = await loginOf(deps, request)
      return confirmLogin(deps, login, { ...body, address: addressGroup(callOf(request).ip) })
    }),
    route(authOperations.logout, async ({ body }) => {
      await logOut(deps, body.refresh_token)
      return { data: { logged_out: true as const } }
    }),
    route(authOperations.password, async ({ body, request }) => {
      const user = await setPassword(deps, { ...body, address: addressGroup(callOf(request).ip) })
      recordUser(request, user)
      return { data: user }
    }),
    route(authOperations.reset, async ({ body }) => {
      await requestPasswordReset(deps, body.email)
      return { data: { accepted: true as const } }
    }),
    route(ownLoginOperations.changePassword, async ({ caller, body, request }) => {
      const { family_id } = await loginOf(deps, request)
      const change = { ...body, family_id, address: addressGroup(callOf(request).ip) }
      return { data: await changePassword(deps, caller, change) }
    }),
    route(ownLoginOperations.endOthers, async ({ caller, request }) => {
      await endOtherLogins(deps, caller, await loginOf(deps, request))
      return { data: { ended: true as const } }
    }),
    route(authOperations.jwks, async ({ request }) => {
      request.res?.set('Cache-Control', 'public, max-age=300')
      return { keys: await deps.tokens.keys.published() }
    }),
  ]
}
