import { z } from 'zod'
import { id } from '../ids.ts'
import { listOf, listQuery } from '../lists.ts'
import { operation } from '../operation.ts'
import { isoTime } from '../times.ts'

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

const keys = { service: 'gateway', tenant: true, path: '/api/api-keys' } as const

export const apiKeyOperations = {
  create: operation({
    ...keys,
    id: 'createApiKey',
    summary: 'Creates an API key, whose value is shown this once',
    method: 'POST',
    body: z.strictObject({ name: z.string().min(1).max(100) }),
    status: 201,
    secret: true,
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
