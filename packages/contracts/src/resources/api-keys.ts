import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { keyScopes } from '../declarations/key-scopes.ts'
import { operation, type Tag } from '../declarations/operation.ts'
import { id } from '../fields/ids.ts'
import { dataOf, deletedResponse, listOf, listQuery, named } from '../fields/pagination.ts'
import { isoTime, maybeIsoTime, timestamps } from '../fields/times.ts'

const tag: Tag = { name: 'API keys', description: "The credentials of a merchant's systems." }

const name = z
  .string()
  .min(1)
  .max(100)
  .meta({ description: 'A name to tell keys apart.', examples: ['web shop'] })
const status = named(
  'ApiKeyStatus',
  z.enum(['active', 'revoked']).describe('A revoked key is rejected. An expired one stays `active`: see `expires_at`.'),
)
const allowedIps = z
  .array(z.union([z.cidrv4(), z.cidrv6()], { error: 'expected a CIDR such as 203.0.113.0/24 or 203.0.113.7/32' }))
  .min(1)
  .max(100)
  .nullable()
  .meta({
    id: 'AllowedIps',
    description: 'The address ranges that the key may be used from, as CIDR; `null` for any.',
    examples: [['203.0.113.0/24']],
  })
const scope = named('KeyScope', z.enum(keyScopes).describe('What a key may do with a group of resources.'))
const scopes = z
  .array(scope)
  .min(1)
  .max(keyScopes.length)
  .refine(names => new Set(names).size === names.length, { error: 'expected each scope once' })
  .nullable()
  .meta({
    id: 'KeyScopes',
    description:
      'What the key may do, by group of resources; `null` for everything that keys may do. A `write` scope does not include `read`. `webhooks` scopes also reach the data of other groups: `webhooks:read` shows the payloads of deliveries, and `webhooks:write` can send events to a new endpoint.',
    examples: [['checkout:read', 'checkout:write']],
  })
const expiresAt = isoTime
  .nullable()
  .meta({ description: 'When the key stops working; `null` for never.', examples: ['2036-11-21T18:04:05.123Z'] })
const merchantId = id('mrc').describe('The merchant that the key acts for.')

export const apiKey = named(
  'ApiKey',
  z
    .object({
      id: id('key'),
      merchant_id: merchantId,
      name,
      key_masked: z
        .string()
        .meta({ description: 'The prefix and the last four characters.', examples: ['vk_test_****9f3K'] }),
      status,
      allowed_ips: allowedIps,
      scopes,
      expires_at: expiresAt,
      last_used_at: maybeIsoTime.describe('When it was last used, to the minute; `null` for never.'),
      ...timestamps,
    })
    .describe('An API key, with its value masked.'),
)

export type ApiKey = z.output<typeof apiKey>

const newKey = named(
  'NewApiKey',
  z
    .object({
      id: id('key'),
      name: z.string().describe('A name to tell keys apart.'),
      key: z.string().meta({ description: 'The key itself. It is shown only here.', examples: ['vk_test_…'] }),
      merchant_id: merchantId,
    })
    .describe('A new API key: the only response that contains the key itself.'),
)

const createBody = named(
  'CreateApiKey',
  z.strictObject({
    name,
    allowed_ips: allowedIps.optional(),
    scopes: scopes.optional(),
    expires_at: expiresAt.optional(),
  }),
)
const updateBody = named(
  'UpdateApiKey',
  z.strictObject({ name: name.optional(), allowed_ips: allowedIps.optional(), scopes: scopes.optional() }),
)

const maxOverlapSeconds = 7 * 86_400
const defaultOverlapSeconds = 86_400

const rotateBody = named(
  'RotateApiKey',
  z
    .strictObject({
      overlap_seconds: z
        .int()
        .min(0)
        .max(maxOverlapSeconds)
        .default(defaultOverlapSeconds)
        .describe('For how long the old key goes on working. Send 0 where it has leaked.'),
      expires_at: expiresAt.optional(),
    })
    .prefault({}),
)

const keys = {
  service: 'gateway',
  tenant: true,
  path: '/api/api-keys',
  tag,
  audit: 'admin',
  area: 'keys',
  callers: callerSets.users,
} as const
const one = { ...keys, path: '/api/api-keys/:id', params: z.object({ id: id('key') }), target: 'id' } as const

export const apiKeyOperations = {
  create: operation({
    ...keys,
    fresh: true,
    id: 'createApiKey',
    summary: 'Create an API key',
    description: 'Creates an API key for a merchant and returns the key itself, which is not shown again.',
    method: 'POST',
    body: createBody,
    status: 201,
    secret: true,
    emits: ['api_key.created'],
    response: newKey,
  }),
  list: operation({
    ...keys,
    id: 'listApiKeys',
    summary: 'List API keys',
    description: 'Returns API keys with their values masked, revoked keys included.',
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
    summary: 'Get an API key',
    description: 'Returns one API key with its value masked.',
    method: 'GET',
    response: dataOf(apiKey),
  }),
  update: operation({
    ...one,
    fresh: true,
    id: 'updateApiKey',
    summary: 'Update an API key',
    description:
      'Renames an API key or changes the addresses it may be used from or its scopes. A revoked key cannot be changed.',
    method: 'PUT',
    body: updateBody,
    emits: ['api_key.renamed', 'api_key.allowed_ips_changed', 'api_key.scopes_changed'],
    response: dataOf(apiKey),
  }),
  delete: operation({
    ...one,
    id: 'deleteApiKey',
    summary: 'Revoke an API key',
    description: 'Revokes an API key. Calls with it are rejected within a second. It cannot be undone.',
    method: 'DELETE',
    emits: ['api_key.revoked'],
    response: deletedResponse,
  }),
  rotate: operation({
    ...one,
    path: '/api/api-keys/:id/rotate',
    fresh: true,
    id: 'rotateApiKey',
    summary: 'Rotate an API key',
    description:
      'Creates a successor with the same name, addresses and scopes and returns its value. The old key goes on working for `overlap_seconds`, by default a day.',
    method: 'POST',
    body: rotateBody,
    status: 201,
    secret: true,
    emits: ['api_key.created', 'api_key.rotated'],
    response: newKey,
  }),
}
