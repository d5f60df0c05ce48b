import { z } from 'zod'
import { id } from '../ids.ts'
import { listOf, listQuery } from '../lists.ts'
import { operation } from '../operation.ts'
import { isoTime } from '../times.ts'

const open = { service: 'gateway', callers: ['payer'], tenant: false, method: 'POST' } as const

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
  jwks: operation({
    ...open,
    id: 'getJwks',
    summary: 'The public keys of user tokens',
    method: 'GET',
    path: '/.well-known/jwks.json',
    response: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }),
  }),
}

export const apiKey = z.object({
  id: id('key'),
  name: z.string(),
  key_masked: z.string(),
  merchant_id: id('mrc'),
  status: z.enum(['active', 'revoked']),
  last_used_at: isoTime.nullable(),
  created_at: isoTime,
  updated_at: isoTime,
})

const keys = { service: 'gateway', callers: ['client', 'operator'], tenant: true, path: '/api/api-keys' } as const

export const apiKeyOperations = {
  create: operation({
    ...keys,
    id: 'createApiKey',
    summary: 'Creates an API key, whose value is shown this once',
    method: 'POST',
    body: z.strictObject({ name: z.string().min(1).max(100) }),
    status: 201,
    response: z.object({ id: id('key'), name: z.string(), key: z.string(), merchant_id: id('mrc') }),
  }),
  list: operation({
    ...keys,
    id: 'listApiKeys',
    summary: 'Lists API keys, their values masked',
    method: 'GET',
    query: listQuery({
      order: ['created_at', 'updated_at', 'name', 'status'],
      filters: { status: z.enum(['active', 'revoked']) },
      search: true,
    }),
    response: listOf(apiKey),
  }),
}
