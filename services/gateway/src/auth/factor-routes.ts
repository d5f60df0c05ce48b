import { factorLoginOperations, factorOperations, userOperations } from '@cobro/contracts'
import { type Route, route } from '@cobro/http'
import { callOf } from '../calls/open-call.ts'
import { addressGroup } from '../network/address-group.ts'
import { readFactor, setUpFactor } from '../second-factor/manage-factor.ts'
import { confirmOwnFactor, removeOwnFactor, removeUserFactor, userOf } from './factors-of-users.ts'
import { logInWithFactor, setUpFactorAtLogin } from './log-in-with-factor.ts'
import { loginOf } from './login-of-call.ts'
import { recordUser } from './record-user.ts'
import { requiresFactor } from './require-factor.ts'
import type { LoginDeps } from './user-login.ts'

/** The second factor: at a login, of the user who calls, and removed by those who manage a user. */
export function factorRoutes(deps: LoginDeps): Route[] {
  const { db } = deps
  return [
    route(factorLoginOperations.loginFactor, async ({ body, request }) => {
      const login = await logInWithFactor(deps, { ...body, address: addressGroup(callOf(request).ip) })
      recordUser(request, login.user)
      return login
    }),
    route(factorLoginOperations.setUpFactorAtLogin, async ({ body, request }) => {
      const { user, factor } = await setUpFactorAtLogin(deps, body.mfa_token)
      recordUser(request, user)
      return { data: factor }
    }),
    route(factorOperations.read, async ({ caller }) => {
      const { id, role } = await userOf(db, caller)
      return { data: { ...(await readFactor(db, id)), required: requiresFactor(deps.mfa, role) } }
    }),
    route(factorOperations.setUp, async ({ caller }) => ({ data: await setUpFactor(deps, await userOf(db, caller)) })),
    route(factorOperations.confirm, async ({ caller, body, request }) => {
      const login = await loginOf(deps, request)
      return { data: { recovery_codes: await confirmOwnFactor(deps, caller, login, body.code) } }
    }),
    route(factorOperations.remove, async ({ caller, body, request }) => {
      const address = addressGroup(callOf(request).ip)
      return { data: { removed: await removeOwnFactor(deps, caller, { ...body, address }) } }
    }),
    route(userOperations.removeFactor, async ({ caller, params }) => {
      return { data: { removed: await removeUserFactor(deps, caller, params.id) } }
    }),
  ]
}
