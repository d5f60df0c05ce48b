import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation } from '../declarations/operation.ts'
import { dataOf, named } from '../fields/pagination.ts'
import { maybeIsoTime } from '../fields/times.ts'
import { guessable, loginTokens, ofLogins } from './auth.ts'
import { factorCode } from './factor-code.ts'
import { removedFactor } from './users.ts'

const mfaToken = z
  .string()
  .min(1)
  .max(1024)
  .meta({ description: 'The `mfa_token` of the answer to the login.', examples: ['eyJhbGciOiJIUzI1NiIs…'] })
/** For the new app of a user: recovery codes do not exist yet. */
const appCode = z
  .string()
  .regex(/^\d{6}$/, { error: 'expected six digits' })
  .meta({ description: 'The code that the app shows.', examples: ['492039'] })

export const recoveryCodes = z.array(z.string()).meta({
  description: 'Each works once instead of a code of the app. They are shown only here.',
  examples: [['k7pm-q2xr-8hwd']],
})

const factorSecret = named(
  'NewSecondFactor',
  z
    .object({
      secret: z.string().meta({ description: 'The secret for the app, in base32.', examples: ['JBSWY3DPEHPK3PXP'] }),
      uri: z.string().meta({
        description: 'The same as an `otpauth` URI, for a QR code.',
        examples: ['otpauth://totp/Cobro:ana@example.com?secret=JBSWY3DPEHPK3PXP&issuer=Cobro'],
      }),
    })
    .describe('A second factor, which counts once a code of the app confirms it.'),
)

const factor = named(
  'SecondFactor',
  z
    .object({
      enabled: z.boolean().describe('Whether logins ask for a code.'),
      enabled_at: maybeIsoTime.describe('Since when; `null` if they do not.'),
      required: z.boolean().describe('Whether this deployment asks the user for a second factor.'),
      recovery_codes_left: z.int().meta({ description: 'How many recovery codes are unused.', examples: [10] }),
    })
    .describe('The second factor of the user.'),
)

export const loginFactor = named('LoginFactor', z.strictObject({ mfa_token: mfaToken, code: factorCode }))

/** Logins that ask for a second factor. */
export const factorLoginOperations = {
  loginFactor: operation({
    ...guessable,
    id: 'logInWithFactor',
    summary: 'Log in with a second factor',
    description:
      'Completes a login whose answer was `mfa_required`. The first code of a factor that was set up at the login confirms it, and the answer has its recovery codes.',
    secret: true,
    path: '/api/auth/login/factor',
    body: loginFactor,
    emits: ['auth.login', 'auth.login_failed', 'auth.factor_added', 'auth.recovery_code_used'],
    response: loginTokens.extend({ recovery_codes: recoveryCodes.optional() }).meta({
      id: 'LoginWithFactor',
      description: 'An access token and its refresh token.',
    }),
  }),
  setUpFactorAtLogin: operation({
    ...guessable,
    id: 'setUpFactorAtLogin',
    summary: 'Set up a second factor at a login',
    description:
      'Creates the second factor of a user who has to have one and does not, after a login whose answer had `mfa_setup`. Complete the login with a code of it.',
    secret: true,
    path: '/api/auth/login/factor/setup',
    body: named('LoginFactorSetup', z.strictObject({ mfa_token: mfaToken })),
    response: dataOf(factorSecret),
  }),
}

const ofCaller = {
  ...ofLogins,
  callers: callerSets.users,
  area: 'caller',
  path: '/api/me/factor',
} as const

/** The second factor of the user who calls. */
export const factorOperations = {
  read: operation({
    ...ofCaller,
    id: 'getFactor',
    summary: 'Get the second factor',
    description: 'Returns whether the user has a second factor, and has to have one.',
    method: 'GET',
    response: dataOf(factor),
  }),
  setUp: operation({
    ...ofCaller,
    fresh: true,
    secret: true,
    id: 'setUpFactor',
    summary: 'Set up a second factor',
    description:
      'Creates a secret for an app that makes codes (TOTP). It counts once it is confirmed. A conflict if the user has a second factor.',
    response: dataOf(factorSecret),
  }),
  confirm: operation({
    ...ofCaller,
    ...{ limit: 'login', bodyKib: 4 },
    fresh: true,
    secret: true,
    id: 'confirmFactor',
    summary: 'Confirm a second factor',
    description: 'Confirms the second factor with a code of the app, and returns ten recovery codes.',
    path: '/api/me/factor/confirm',
    body: named('ConfirmFactor', z.strictObject({ code: appCode })),
    emits: ['auth.factor_added'],
    response: named(
      'RecoveryCodes',
      z.object({ data: z.object({ recovery_codes: recoveryCodes }).describe('The recovery codes.') }),
    ),
  }),
  remove: operation({
    ...ofCaller,
    ...{ limit: 'login', bodyKib: 4 },
    id: 'removeFactor',
    summary: 'Remove the second factor',
    description:
      'Removes the second factor of the user, and its recovery codes. A conflict where this deployment asks the user for one.',
    path: '/api/me/factor/remove',
    body: named('RemoveFactor', z.strictObject({ code: factorCode })),
    emits: ['auth.factor_removed', 'auth.login_failed'],
    response: removedFactor,
  }),
}
