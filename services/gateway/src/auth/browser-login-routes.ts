import { ApiError, browserLoginOperations } from '@cobro/contracts'
import { type Route, route } from '@cobro/http'
import type { Request } from 'express'
import { callOf } from '../calls/open-call.ts'
import { addressGroup } from '../network/address-group.ts'
import type { BrowserLimits } from '../refresh-tokens/refresh-tokens.ts'
import { browserCookies } from './browser-cookies.ts'
import { deviceTokenMs } from './device-token.ts'
import { logIn } from './log-in.ts'
import { logInWithFactor } from './log-in-with-factor.ts'
import { logOut } from './log-out.ts'
import { recordUser } from './record-user.ts'
import { refreshLogin } from './refresh-login.ts'
import type { Login, LoginDeps } from './user-login.ts'

/** Logins of the dashboard, whose refresh and device tokens are in cookies. */
export function browserLoginRoutes(deps: LoginDeps & { browser: BrowserLimits }): Route[] {
  const { browser } = deps
  const cookies = browserCookies(deps.tokens.issuer)
  const originOf = (request: Request) => ({ address: addressGroup(callOf(request).ip), browser })
  const keepLogin = <L extends Login>(request: Request, login: L) => {
    recordUser(request, login.user)
    const { refresh_token, device_token, ends_at } = login
    if (!ends_at || !device_token) throw new Error('A login of a browser has an end and a device token.')
    // Also after the login has become idle, so that a second use of a copied token is noticed.
    const endsInMs = ends_at.getTime() - Date.now()
    cookies.set(request, 'cobro_refresh', refresh_token, endsInMs)
    cookies.set(request, 'cobro_device', device_token, deviceTokenMs)
    return { ...login, idle_seconds: browser.idleMs / 1000, ends_in: Math.floor(endsInMs / 1000) }
  }
  /** Keeps a new login, and ends the one that the browser had. */
  const replaceLogin = async <L extends Login>(request: Request, login: L) => {
    const before = cookies.read(request, 'cobro_refresh')
    if (before) await logOut(deps, before)
    return keepLogin(request, login)
  }
  return [
    route(browserLoginOperations.login, async ({ body, request }) => {
      const device_token = cookies.read(request, 'cobro_device')
      return replaceLogin(request, await logIn(deps, { ...body, device_token, ...originOf(request) }))
    }),
    route(browserLoginOperations.loginFactor, async ({ body, request }) =>
      replaceLogin(request, await logInWithFactor(deps, { ...body, ...originOf(request) })),
    ),
    route(browserLoginOperations.refresh, async ({ request }) => {
      const refresh_token = cookies.read(request, 'cobro_refresh')
      if (!refresh_token) throw new ApiError('unauthorized')
      return keepLogin(request, await refreshLogin(deps, { refresh_token, ...originOf(request) }))
    }),
    route(browserLoginOperations.logout, async ({ request }) => {
      const token = cookies.read(request, 'cobro_refresh')
      if (token) await logOut(deps, token)
      cookies.clear(request, 'cobro_refresh')
      request.res?.set('Clear-Site-Data', '"cache"')
      return { data: { logged_out: true as const } }
    }),
  ]
}
