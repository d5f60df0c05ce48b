import { z } from 'zod'
import { id } from '../ids.ts'
import { operation } from '../operation.ts'
import { dataOf } from '../pagination.ts'
import { newPassword } from './users.ts'

const open = { service: 'gateway', tenant: false, method: 'POST', idempotency: 'none' } as const

const user = z.object({
  id: id('usr'),
  email: z.string(),
  name: z.string().nullable(),
  role: z.enum(['operator', 'client']),
  merchant_id: z.string().nullable(),
  merchants: z.union([z.literal('all'), z.array(z.string())]).nullable(),
})

const tokens = z.object({
  token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  refresh_token: z.string(),
  user,
})

const refreshToken = z.strictObject({ refresh_token: z.string().min(1).max(200) })

export const authOperations = {
  login: operation({
    ...open,
    id: 'login',
    summary: 'Logs a user in',
    path: '/api/auth/login',
    body: z.strictObject({ email: z.string().min(1).max(254), password: z.string().min(1).max(1024) }),
    response: tokens,
  }),
  refresh: operation({
    ...open,
    id: 'refreshToken',
    summary: 'Exchanges a refresh token for a new pair',
    path: '/api/auth/refresh',
    body: refreshToken,
    response: tokens,
  }),
  logout: operation({
    ...open,
    id: 'logout',
    summary: 'Ends a login on this device',
    path: '/api/auth/logout',
    body: refreshToken,
    response: z.object({ data: z.object({ logged_out: z.literal(true) }) }),
  }),
  password: operation({
    ...open,
    id: 'setPassword',
    summary: 'Sets a password by a setup token, which is good once, and ends the logins that there were',
    path: '/api/auth/password',
    body: z.strictObject({ token: z.string().min(1).max(200), password: newPassword }),
    response: dataOf(z.object({ id: id('usr'), email: z.string() })),
  }),
  jwks: operation({
    ...open,
    id: 'getJwks',
    summary: 'The public keys of user tokens',
    method: 'GET',
    path: '/.well-known/jwks.json',
    response: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }),
  }),
}
