import { z } from 'zod'
import { operation } from '../declarations/operation.ts'
import { named } from '../fields/pagination.ts'
import { credentials, guessable, loginTokens, logoutResponse, ofLogins } from './auth.ts'
import { emptyBody } from './empty-body.ts'
import { loginFactor, recoveryCodes } from './second-factor.ts'

/** The refresh token of these logins is in a cookie that no script can read. */
const browserTokens = named(
  'BrowserLogin',
  loginTokens
    .omit({ refresh_token: true, device_token: true })
    .extend({
      idle_seconds: z.int().meta({
        description: 'The login ends if it is not refreshed for so long.',
        examples: [1800],
      }),
      ends_in: z.int().meta({
        description: 'The login ends after so many seconds, also if it is refreshed.',
        examples: [43_200],
      }),
    })
    .describe('An access token. Its refresh token is in a cookie.'),
)

/** What the API reference says of each. */
const ofPages = 'Only pages of this deployment may call it, with the header `X-Cobro-Dashboard: 1`.'

/**
 * Logins of the dashboard. They answer only calls of a page of this deployment: with its `Origin` and the header
 * `X-Cobro-Dashboard: 1`, which other sites cannot send.
 */
export const browserLoginOperations = {
  login: operation({
    ...guessable,
    browserOnly: true,
    id: 'browserLogin',
    summary: 'Log in in a browser',
    description: `Like a login, but keeps the refresh token and the device token in cookies that no script can read, and ends the login that the browser had. ${ofPages}`,
    path: '/api/auth/browser/login',
    body: credentials.omit({ device_token: true }).meta({ id: 'BrowserCredentials' }),
    emits: ['auth.login', 'auth.login_failed'],
    response: browserTokens,
  }),
  loginFactor: operation({
    ...guessable,
    browserOnly: true,
    id: 'browserLoginWithFactor',
    summary: 'Log in in a browser with a second factor',
    description: `Completes a login in a browser whose answer was \`mfa_required\`. ${ofPages}`,
    secret: true,
    path: '/api/auth/browser/login/factor',
    body: loginFactor,
    emits: ['auth.login', 'auth.login_failed', 'auth.factor_added', 'auth.recovery_code_used'],
    response: browserTokens.extend({ recovery_codes: recoveryCodes.optional() }).meta({
      id: 'BrowserLoginWithFactor',
      description: 'An access token. Its refresh token is in a cookie.',
    }),
  }),
  refresh: operation({
    ...ofLogins,
    browserOnly: true,
    id: 'refreshBrowserLogin',
    summary: 'Refresh a login in a browser',
    description: `Exchanges the refresh token of the cookie. A second use within 30 seconds gets the same successor while that is unused, because another tab or a lost answer may have used the token. Any other second use ends the login. ${ofPages}`,
    path: '/api/auth/browser/refresh',
    bodyKib: 4,
    body: emptyBody,
    emits: ['auth.refresh_reused'],
    response: browserTokens,
  }),
  logout: operation({
    ...ofLogins,
    browserOnly: true,
    id: 'browserLogout',
    summary: 'Log out in a browser',
    description: `Ends the login of the cookie, if there is one, and removes the cookie. ${ofPages}`,
    path: '/api/auth/browser/logout',
    bodyKib: 4,
    body: emptyBody,
    emits: ['auth.logout'],
    response: logoutResponse,
  }),
}
