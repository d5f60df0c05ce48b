import { z } from 'zod'
import { id } from '../ids.ts'
import { operation } from '../operation.ts'
import { dataOf, deletedAnswer, listOf, listQuery } from '../pagination.ts'
import { isoTime } from '../times.ts'

const name = z.string().min(1).max(100)
const status = z.enum(['active', 'revoked'])
const allowedIps = z
  .array(z.union([z.cidrv4(), z.cidrv6()], { error: 'expected a CIDR such as 203.0.113.0/24 or 203.0.113.7/32' }))
  .min(1)
  .max(100)
  .nullable()

/** An API key as it is shown. One that has run out stays `active`: its `expires_at` says so. */
export const apiKey = z.object({
  id: id('key'),
  merchant_id: id('mrc'),
  name,
  key_masked: z.string(),
  status,
  allowed_ips: allowedIps,
  expires_at: isoTime.nullable(),
  last_used_at: isoTime.nullable(),
  created_at: isoTime,
  updated_at: isoTime,
})

export type ApiKey = z.output<typeof apiKey>

/** A new key, the one time that its value is told. */
const newKey = z.object({ id: id('key'), name: z.string(), key: z.string(), merchant_id: id('mrc') })

const maxOverlapSeconds = 7 * 86_400
const defaultOverlapSeconds = 86_400

const keys = { service: 'gateway', tenant: true, path: '/api/api-keys' } as const
const one = { ...keys, path: '/api/api-keys/:id', params: z.object({ id: id('key') }) } as const

export const apiKeyOperations = {
  create: operation({
    ...keys,
    id: 'createApiKey',
    summary: 'Creates an API key, whose value is shown this once',
    method: 'POST',
    body: z.strictObject({ name, allowed_ips: allowedIps.optional(), expires_at: isoTime.nullable().optional() }),
    status: 201,
    secret: true,
    response: newKey,
  }),
  list: operation({
    ...keys,
    id: 'listApiKeys',
    summary: 'Lists API keys, revoked ones too, their values masked',
    method: 'GET',
    query: listQuery({
      order: ['created_at', 'updated_at', 'name', 'status', 'expires_at', 'last_used_at'],
      filters: { status },
      search: true,
    }),
    response: listOf(apiKey),
  }),
  read: operation({
    ...one,
    id: 'getApiKey',
    summary: 'Reads one API key, its value masked',
    method: 'GET',
    response: dataOf(apiKey),
  }),
  update: operation({
    ...one,
    id: 'updateApiKey',
    summary: 'Renames an API key, or changes from where it may be used',
    method: 'PUT',
    body: z.strictObject({ name: name.optional(), allowed_ips: allowedIps.optional() }),
    response: dataOf(apiKey),
  }),
  delete: operation({
    ...one,
    id: 'deleteApiKey',
    summary: 'Revokes an API key for good, within a second',
    method: 'DELETE',
    response: deletedAnswer,
  }),
  rotate: operation({
    ...one,
    path: '/api/api-keys/:id/rotate',
    id: 'rotateApiKey',
    summary:
      'Makes a successor of an API key, which itself goes on for a day unless said otherwise (0 where it has leaked)',
    method: 'POST',
    body: z
      .strictObject({
        overlap_seconds: z.int().min(0).max(maxOverlapSeconds).default(defaultOverlapSeconds),
        expires_at: isoTime.nullable().optional(),
      })
      .prefault({}),
    status: 201,
    secret: true,
    response: newKey,
  }),
}
