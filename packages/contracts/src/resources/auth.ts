import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation, type Tag } from '../declarations/operation.ts'
import { id, storedId } from '../fields/ids.ts'
import { dataOf, named } from '../fields/pagination.ts'
import { factorCode } from './factor-code.ts'
import { access, newPassword, userRole } from './users.ts'

const tag: Tag = { name: 'Logins', description: 'Passwords for tokens, and the public keys of those tokens.' }

/** What the operations on logins share. */
export const ofLogins = {
  service: 'gateway',
  tenant: false,
  method: 'POST',
  idempotency: 'none',
  tag,
  audit: 'auth',
  callers: callerSets.anyone,
} as const
/** Secrets could be guessed here: these have the stricter rate limit of an address, and no long texts. */
export const guessable = { ...ofLogins, limit: 'login', bodyKib: 4 } as const

const email = z.string().meta({ description: "The user's e-mail address.", examples: ['ana@example.com'] })

const loggedInUser = named(
  'LoggedInUser',
  z
    .object({
      id: id('usr'),
      email,
      name: z
        .string()
        .nullable()
        .meta({ description: "The user's name.", examples: ['Ana López'] }),
      role: userRole,
      access,
      merchant_id: storedId<'mrc'>().nullable().meta({ description: "A client's merchant." }),
      merchants: z
        .union([z.literal('all'), z.array(storedId<'mrc'>())])
        .nullable()
        .meta({ description: "An operator's scope: `all`, or the ids of merchants.", examples: ['all'] }),
    })
    .describe('The user who has logged in.'),
)

export const loginTokens = named(
  'LoginTokens',
  z
    .object({
      token: z.string().meta({ description: 'The access token, a JWT.', examples: ['eyJhbGciOiJFZERTQSI…'] }),
      token_type: z.literal('Bearer').describe('How to send the token: `Authorization: Bearer …`.'),
      expires_in: z.int().meta({ description: 'Seconds until the token expires.', examples: [900] }),
      refresh_token: z
        .string()
        .meta({ description: 'Exchanges for a new pair of tokens, once.', examples: ['vrt_x3Vf…'] }),
      device_token: z
        .string()
        .optional()
        .meta({
          description: 'Identifies this device at its next login, for 90 days. Replaces the one before.',
          examples: ['eyJhbGciOiJIUzI1NiIs…'],
        }),
      user: loggedInUser,
    })
    .describe('An access token and its refresh token.'),
)

const confirmation = named(
  'ConfirmLogin',
  z.strictObject({
    password: z
      .string()
      .min(1)
      .max(1024)
      .meta({ description: "The user's password.", examples: ['a long password of your own'] }),
    code: factorCode
      .optional()
      .describe('A code of the second factor, or a recovery code. Required for a user who has one.'),
  }),
)

const refreshToken = named(
  'RefreshToken',
  z.strictObject({
    refresh_token: z
      .string()
      .min(1)
      .max(200)
      .meta({ description: 'The refresh token of the login.', examples: ['vrt_x3Vf…'] }),
  }),
)

const accountEmail = z
  .string()
  .min(1)
  .max(254)
  .meta({ description: "The user's e-mail address.", examples: ['ana@example.com'] })

export const credentials = named(
  'Login',
  z.strictObject({
    email: accountEmail,
    password: z
      .string()
      .min(1)
      .max(1024)
      .meta({ description: "The user's password.", examples: ['a long password of your own'] }),
    device_token: z
      .string()
      .max(1024)
      .optional()
      .meta({
        description:
          "The newest `device_token` of this user on this device, so that others' failed logins do not block this one. Ignored if it is not valid.",
        examples: ['eyJhbGciOiJIUzI1NiIs…'],
      }),
  }),
)

const passwordChange = named(
  'SetPassword',
  z.strictObject({
    token: z
      .string()
      .min(1)
      .max(200)
      .meta({
        description: 'The setup token, or that of a reset. It works once, for 72 hours or one hour.',
        examples: ['vst_…'],
      }),
    password: newPassword,
  }),
)

const resetRequest = named(
  'ResetPassword',
  z.strictObject({
    email: accountEmail,
  }),
)

const resetResponse = named(
  'ResetAcceptedResponse',
  z.object({
    data: z
      .object({ accepted: z.literal(true).describe('Always `true`.') })
      .describe('The request was accepted, whether or not the user exists.'),
  }),
)

export const account = named('Account', z.object({ id: id('usr'), email }).describe('The user whose password was set.'))

export const logoutResponse = named(
  'LoggedOutResponse',
  z.object({
    data: z.object({ logged_out: z.literal(true).describe('Always `true`.') }).describe('The login has ended.'),
  }),
)

const jwks = named(
  'JsonWebKeySet',
  z.object({
    keys: z
      .array(z.record(z.string(), z.unknown()))
      .meta({ description: 'The keys as JWK.', examples: [[{ kty: 'OKP', crv: 'Ed25519', kid: 'k1', x: '…' }]] }),
  }),
)

/** Logins, their tokens and passwords. */
export const authOperations = {
  login: operation({
    ...guessable,
    id: 'login',
    summary: 'Log in',
    description: 'Exchanges an e-mail address and password for an access token and a refresh token.',
    path: '/api/auth/login',
    body: credentials,
    emits: ['auth.login', 'auth.login_failed'],
    response: loginTokens,
  }),
  refresh: operation({
    ...guessable,
    id: 'refreshToken',
    summary: 'Refresh a login',
    description: 'Exchanges a refresh token for a new pair. A token that is used twice ends the whole login.',
    path: '/api/auth/refresh',
    body: refreshToken,
    emits: ['auth.refresh_reused'],
    response: loginTokens,
  }),
  confirm: operation({
    ...guessable,
    id: 'confirmLogin',
    summary: 'Confirm a login',
    description:
      'Returns a new access token of the same login after the user has proved once more who it is. Operations that ask for a confirmation accept it for five minutes. The refresh token stays as it is.',
    callers: callerSets.users,
    area: 'caller',
    path: '/api/auth/confirm',
    body: confirmation,
    emits: ['auth.confirmed', 'auth.recovery_code_used', 'auth.login_failed'],
    response: loginTokens.pick({ token: true, token_type: true, expires_in: true }).meta({
      id: 'ConfirmedLogin',
      description: 'An access token that says when the user confirmed the login.',
    }),
  }),
  logout: operation({
    ...ofLogins,
    id: 'logout',
    summary: 'Log out',
    description: 'Ends the login that the refresh token belongs to. Other logins of the user go on.',
    path: '/api/auth/logout',
    body: refreshToken,
    emits: ['auth.logout'],
    response: logoutResponse,
  }),
  password: operation({
    ...guessable,
    id: 'setPassword',
    summary: 'Set a password',
    description: 'Sets a password with a token for setup or reset, which works once, and ends all logins of the user.',
    path: '/api/auth/password',
    body: passwordChange,
    emits: ['auth.password_set', 'auth.password_refused'],
    response: dataOf(account),
  }),
  reset: operation({
    ...guessable,
    id: 'resetPassword',
    summary: 'Reset a password',
    description:
      'Mails a link to set a new password, which works once within an hour. The answer is the same for an address without a user, and for a deployment that sends no mails.',
    path: '/api/auth/password/reset',
    status: 202,
    body: resetRequest,
    emits: ['auth.password_reset_requested'],
    response: resetResponse,
  }),
  passwordPage: operation({
    ...ofLogins,
    id: 'showPasswordPage',
    summary: 'Show the page to set a password',
    method: 'GET',
    path: '/account/password',
    response: 'page',
  }),
  jwks: operation({
    ...ofLogins,
    id: 'getJwks',
    summary: 'Get the public keys of user tokens',
    description: 'Returns the public keys that verify user tokens, as a JSON Web Key Set.',
    method: 'GET',
    path: '/.well-known/jwks.json',
    response: jwks,
  }),
}
