import { apiVersion, type Operation, operations, pageFields, type Tag } from '@cobro/contracts'
import { commonErrorCodes, errorComponents } from './error-responses.ts'
import { type Json, schemaCollector } from './json-schemas.ts'
import { type Components, operationObject, securityOf, usualCallers } from './operation-objects.ts'
import { withExtensions } from './schema-extensions.ts'
import { callHeaders, listParameters, parameterComponents, webhookHeaders } from './shared-parameters.ts'
import { webhookObjects, webhookResponses } from './webhook-objects.ts'

const introduction = `JSON in, JSON out, over HTTPS. Amounts are integers in minor units (cents); times are ISO 8601 in UTC.

Unknown fields and query parameters are rejected by name. Every response has \`X-Request-Id\`, the id to quote to support.
An error is \`{ "error": "<code>: <detail>" }\`; programs switch on the code.
Every operation may answer ${commonErrorCodes}; the others are listed with each.

Every POST except logins accepts an \`Idempotency-Key\`: within 24 hours, the same call with the same key has its effect once.`

/**
 * Returns the whole API, served at `serverUrl`, as an OpenAPI 3.1 document.
 * Does not use zod-openapi: it describes a response by its schema's output side; our codecs have JSON on the input one.
 */
export function apiDescription({ serverUrl }: { serverUrl: string }): Json {
  const schemas = schemaCollector()
  schemas.reference(pageFields)
  const components: Components = {
    schemas,
    responses: { ...errorComponents(schemas), ...webhookResponses },
    parameters: parameterComponents({ ...listParameters, ...callHeaders, ...webhookHeaders }),
  }
  const paths = pathObjects(components)
  const webhooks = webhookObjects(schemas)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Cobro API',
      version: apiVersion,
      summary: 'Hosted checkout, transactions, signed webhooks and an audit log',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    security: securityOf(usualCallers),
    tags: tagObjects(),
    paths,
    webhooks,
    components: { ...components, schemas: withExtensions(schemas.components()), headers, securitySchemes },
  }
}

/** Pages and files for browsers are not part of the API. */
const described = operations.filter(operation => operation.response !== 'page')

function tagObjects(): Tag[] {
  const byName = new Map(described.map(({ tag }) => [tag.name, tag]))
  return [...byName.values()].toSorted((a, b) => a.name.localeCompare(b.name))
}

function pathObjects(components: Components): Json {
  const byPath = Map.groupBy(described, ({ path }) => path.replace(/:(\w+)/g, '{$1}'))
  return Object.fromEntries([...byPath].toSorted().map(([path, there]) => [path, pathObject(there, components)]))
}

/** The operations of a path. The parameters that all of them have stand beside them, once. */
function pathObject(there: readonly Operation[], components: Components): Json {
  const objects = there.map(one => operationObject(one, components))
  const isShared = ({ $ref }: Json) =>
    $ref !== undefined && objects.every(({ parameters }) => parameters.some((one: Json) => one.$ref === $ref))
  const own = objects.map(({ parameters, ...object }) => ({
    ...object,
    ...unlessEmpty(parameters.filter((one: Json) => !isShared(one))),
  }))
  return {
    ...unlessEmpty(objects[0]?.parameters.filter(isShared)),
    ...Object.fromEntries(there.map(({ method }, at) => [method.toLowerCase(), own[at]])),
  }
}

function unlessEmpty(parameters: Json[]): Json {
  return parameters.length > 0 ? { parameters } : {}
}

const header = (description: string, schema: Json = { type: 'string' }): Json => ({ description, schema })

const headers: Json = {
  'X-Request-Id': header('The id of the call, also in the audit log.'),
  'Idempotent-Replayed': header('`true` if this is the stored response to an earlier call with the same key.'),
  Link: header(
    '`<…>; rel="next"`: the next page of a list that is sorted by time, which is the default. Absent on the last page.',
  ),
  'X-Total-Count': header('The number of rows that match as an export begins.', { type: 'integer' }),
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
