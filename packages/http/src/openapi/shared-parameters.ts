import { directions } from '@cobro/contracts'
import type { Json } from './json-schemas.ts'

const text = { type: 'string' }
const required = { required: true }
const dayOrMoment = { anyOf: ['Day', 'Timestamp'].map(name => ({ $ref: `#/components/schemas/${name}` })) }

/** Returns parameters by name, from their descriptions, schemas and other fields. */
function parametersIn(place: 'query' | 'header', described: Record<string, [string, Json, Json?]>): Json {
  const entries = Object.entries(described)
  return Object.fromEntries(
    entries.map(([name, [description, schema, more]]) => [name, { name, in: place, description, schema, ...more }]),
  )
}

/** The query parameters that mean the same on every list. */
export const listParameters = parametersIn('query', {
  limit: ['The size of a page. Above 200 it is 200.', { type: 'integer', minimum: 1, default: 50 }],
  offset: ['How many rows to skip, by default none. Cannot be combined with `page`.', { type: 'integer', minimum: 0 }],
  page: ['The page, from 1, instead of `offset`.', { type: 'integer', minimum: 1 }],
  cursor: [
    'Where the page before ended: part of its `Link` to the next page. Cannot be combined with `order`, `offset` or `page`.',
    text,
  ],
  dir: ['The direction to sort in.', { ...text, enum: directions, default: 'desc' }],
  search: ['Free text to search for.', { ...text, maxLength: 200 }],
  from: ['The first day, in UTC, or the first moment.', dayOrMoment],
  to: ['The last day, in UTC, or the last moment, inclusive.', dayOrMoment],
  count: [
    'Whether to count all matching rows: with `none`, `count` is `null`.',
    { ...text, enum: ['exact', 'none'], default: 'exact' },
  ],
})

const merchantDescription =
  'The merchant that an operator acts for; the query parameter `merchant_id` does the same. Required for writes and feeds. Ignored for other callers.'
const keyDescription = 'A key for this call, so that repeating it has no second effect.'

/** The headers of calls: the merchant that an operator states, and the key of a POST. */
export const callHeaders: Json = {
  merchant: { name: 'X-Merchant-Id', in: 'header', description: merchantDescription, schema: text },
  idempotencyKey: {
    ...{ name: 'Idempotency-Key', in: 'header', description: keyDescription },
    schema: { ...text, minLength: 1, maxLength: 255 },
  },
}

/** The headers of every delivery of a webhook. */
export const webhookHeaders = parametersIn('header', {
  'X-Service-Event': ['The event’s name.', text, required],
  'X-Service-Delivery': ['The delivery’s id: the same on every retry.', text, required],
  'X-Service-Sequence': [
    'The event’s number among those of the merchant, without gaps. Deliveries may arrive in another order. Not on `webhook.test`.',
    { type: 'integer', format: 'int64', minimum: 1 },
  ],
  'X-Service-Signature-Timestamp': [
    'Unix seconds at which the delivery was signed. Reject deliveries that are older than five minutes.',
    text,
    required,
  ],
  'X-Service-Signature-V1': [
    'Hex HMAC-SHA256, keyed by the endpoint’s whole secret, of `<timestamp>.<body as received>`.',
    text,
    required,
  ],
  'X-Service-Signature-V1-Previous': ['The same with the previous secret, for a day after a rotation.', text],
})

/** Returns the name of a parameter's component. Generators of clients take the name for a type, and schemas are types too. */
export function parameterName(name: string): string {
  return `${name}Parameter`
}

/** Returns a reference to the component of a parameter. */
export function parameterReference(name: string): Json {
  return { $ref: `#/components/parameters/${parameterName(name)}` }
}

/** Returns the components of parameters. */
export function parameterComponents(parameters: Json): Json {
  return Object.fromEntries(Object.entries(parameters).map(([name, one]) => [parameterName(name), one]))
}
