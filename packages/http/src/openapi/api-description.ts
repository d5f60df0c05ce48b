import { operations } from '@cobro/contracts'
import { errorComponents } from './error-answers.ts'
import { componentSchemas, type Json } from './json-schemas.ts'
import { operationObject } from './operation-objects.ts'
import { tags } from './tags.ts'
import { webhookObjects } from './webhook-objects.ts'

const introduction = `JSON in, JSON out, over HTTPS. Amounts are integers in minor units (cents); times are ISO 8601 in UTC.

Unknown fields and query parameters are refused by name. Every answer bears \`X-Request-Id\`, the id to quote to support.
An error is \`{ "error": "<code>: <detail>" }\`; programs switch on the code.

Every POST but logins takes an \`Idempotency-Key\`: within 24 hours the same call under the same key has its effect once.`

/** The description of the whole API as an OpenAPI 3.1 document, made from the contracts. `serverUrl` is where it is served. */
export function apiDescription({ serverUrl }: { serverUrl: string }): Json {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Cobro API',
      version: '1.0.0',
      summary: 'Hosted checkout, transactions, signed webhooks and an audit log',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    tags,
    paths: paths(),
    webhooks: webhookObjects(),
    components: {
      schemas: componentSchemas(),
      responses: errorComponents(),
      parameters,
      headers,
      securitySchemes,
    },
  }
}

/** Pages and files for browsers are no part of the API. */
function paths(): Json {
  const described = operations.filter(operation => operation.response !== 'page')
  const byPath = Map.groupBy(described, ({ path }) => path.replace(/:(\w+)/g, '{$1}'))
  return Object.fromEntries(
    [...byPath].map(([path, there]) => [
      path,
      Object.fromEntries(there.map(operation => [operation.method.toLowerCase(), operationObject(operation)])),
    ]),
  )
}

const text = { type: 'string' }
const inQuery = (name: string, description: string, schema: Json): [string, Json] => [
  name,
  { name, in: 'query', description, schema },
]
const inHeader = (name: string, description: string, schema: Json, more: Json = {}) => ({
  name,
  in: 'header',
  description,
  schema,
  ...more,
})

const parameters: Json = {
  ...Object.fromEntries([
    inQuery('limit', 'How many to answer. Above 200 it is 200.', { type: 'integer', minimum: 1, default: 50 }),
    inQuery('offset', 'How many to skip. Not together with `page`.', { type: 'integer', minimum: 0, default: 0 }),
    inQuery('page', 'Which page, from 1 on, instead of `offset`.', { type: 'integer', minimum: 1 }),
    inQuery('dir', 'Which way to sort.', { ...text, enum: ['asc', 'desc'], default: 'desc' }),
    inQuery('search', 'Free text.', { ...text, maxLength: 200 }),
    inQuery('from', 'The first day, in UTC.', { ...text, format: 'date' }),
    inQuery('to', 'The last day, in UTC; it counts too.', { ...text, format: 'date' }),
  ]),
  merchant: inHeader(
    'X-Merchant-Id',
    'The merchant that an operator means; the query parameter `merchant_id` says the same. Needed to write. Others need none: it is ignored.',
    text,
  ),
  idempotencyKey: inHeader('Idempotency-Key', 'A name for this call, so that repeating it has no second effect.', {
    ...text,
    minLength: 1,
    maxLength: 255,
  }),
  'X-Service-Event': inHeader('X-Service-Event', 'The event’s name.', text, { required: true }),
  'X-Service-Delivery': inHeader('X-Service-Delivery', 'The delivery’s id: the same on every retry.', text, {
    required: true,
  }),
  'X-Service-Signature-Timestamp': inHeader(
    'X-Service-Signature-Timestamp',
    'Unix seconds at which the delivery was signed. Refuse what is older than five minutes.',
    text,
    { required: true },
  ),
  'X-Service-Signature-V1': inHeader(
    'X-Service-Signature-V1',
    'Hex HMAC-SHA256, keyed by the endpoint’s whole secret, of `<timestamp>.<body as received>`.',
    text,
    { required: true },
  ),
  'X-Service-Signature-V1-Previous': inHeader(
    'X-Service-Signature-V1-Previous',
    'The same with the secret of before the last rotation, for a day after it.',
    text,
  ),
}

const header = (description: string, schema: Json = text): Json => ({ description, schema })

const headers: Json = {
  'X-Request-Id': header('The call’s id, under which the audit log knows it.'),
  'Idempotent-Replayed': header('`true` where this is the answer to an earlier call under the same key.'),
  'Retry-After': header('Seconds to wait.', { type: 'integer' }),
  'RateLimit-Limit': header('Calls in one window.', { type: 'integer' }),
  'RateLimit-Remaining': header('Calls left in this window.', { type: 'integer' }),
  'RateLimit-Reset': header('Seconds until the next window.', { type: 'integer' }),
}

const securitySchemes: Json = {
  apiKeyToken: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'An API key as `Token vk_test_…`.',
  },
  apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' },
  userToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The token of a user, from `POST /api/auth/login`.',
  },
  acquirerSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'Acquirer-Signature',
    description: 'The acquirer’s detached JWS over the body as sent, at most five minutes old.',
  },
}
