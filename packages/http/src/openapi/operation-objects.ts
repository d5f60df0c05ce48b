import {
  acceptsIdempotencyKey,
  accessesOf,
  approvalResponse,
  callerSets,
  type ExportedLines,
  keyScopeOf,
  merchantAccesses,
  type Operation,
  operatorAccesses,
  sdkMethods,
  webhookCatalog,
} from '@cobro/contracts'
import { errorCodes, errorResponses, headerReferences } from './error-responses.ts'
import type { Json, SchemaCollector } from './json-schemas.ts'
import { listParameters, parameterName, parameterReference } from './shared-parameters.ts'

/** The components that operations share. Describing operations adds responses and parameters. */
export interface Components {
  schemas: SchemaCollector
  responses: Json
  parameters: Json
}

/** The callers of most operations, whose security stands once for the whole description. */
export const usualCallers = callerSets.merchants

const successDescriptions: Record<number, string> = {
  200: 'Done',
  201: 'Created',
  202: 'Accepted; the outcome comes later',
}

/** Returns the OpenAPI object of an operation. */
export function operationObject(operation: Operation, components: Components): Json {
  const { id, summary, tag, callers } = operation
  return {
    operationId: id,
    summary,
    description: descriptionOf(operation),
    tags: [tag.name],
    ...(operation.deprecated ? { deprecated: true } : {}),
    ...(callers === usualCallers ? {} : { security: securityOf(callers) }),
    ...sdkMethodOf(operation),
    parameters: parametersOf(operation, components),
    ...requestBodyOf(operation, components),
    responses: { ...successOf(operation, components), ...errorResponses(operation) },
  }
}

/** What it does, the scope that API keys with scopes need, the webhook events that may follow, and its error codes. */
function descriptionOf(operation: Operation): string {
  const { description, bodyKib, emits = [] } = operation
  const scope = keyScopeOf(operation)
  const limit = bodyKib && `The body has at most ${bodyKib} KiB.`
  // Other events are for the audit log only.
  const events = emits.flatMap(name => (Object.hasOwn(webhookCatalog, name) ? `\`${name}\`` : [])).join(', ')
  const errors = errorCodes(operation).join(', ')
  return [
    description,
    limit,
    scope && `Scope of API keys: \`${scope}\`.`,
    accessText(operation),
    approvalText(operation),
    events && `Events: ${events}.`,
    errors && `Errors: ${errors}.`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** Returns which accesses of users may call it. Undefined where all may, or none. */
function accessText(operation: Operation): string | undefined {
  const { operator, client } = accessesOf(operation)
  const quoted = (accesses: readonly string[]) => accesses.map(access => `\`${access}\``).join(', ')
  if (client.length > 0 && client.length < merchantAccesses.length) {
    return `Access of users: ${quoted(client)}; of operators: ${quoted(operator)}.`
  }
  const some = operator.length > 0 && operator.length < operatorAccesses.length
  return some ? `Access of operators: ${quoted(operator)}.` : undefined
}

/** Says when the 202 with an approval is the response. Undefined where no call needs one. */
function approvalText({ approval, callers }: Operation): string | undefined {
  if (!approval) return undefined
  const whose = callers.length === 1 ? 'The call' : 'The call of an operator'
  const when = approval === 'always' ? '' : ' above the limit of the deployment'
  return `${whose}${when} needs the approval of a second operator where the deployment asks for it: then it is answered with 202 and the approval, and has no effect yet.`
}

/** Returns the security requirements: one per form of credential, none where none is needed. */
export function securityOf(callers: Operation['callers']): Json[] {
  return [
    ...(callers.includes('key') ? [{ apiKeyHeader: [] }, { apiKeyToken: [] }] : []),
    ...(callers.includes('client') || callers.includes('operator') ? [{ userToken: [] }] : []),
    ...(callers.includes('acquirer') ? [{ acquirerSignature: [] }] : []),
  ]
}

/** The method of the SDK that calls it, for the API reference and the command line. */
function sdkMethodOf({ id }: Operation): Json {
  const method = sdkMethods[id]
  const name = typeof method === 'string' ? method : method?.users
  return name === undefined ? {} : { 'x-sdk-method': name }
}

function parametersOf(operation: Operation, components: Components): Json[] {
  const statesMerchant = operation.tenant && operation.callers.includes('operator')
  return [
    ...fieldsOf(operation.params, components).map(([name, schema]) => pathParameter(name, schema, components)),
    ...fieldsOf(operation.query, components).map(([name, schema]) =>
      meansSameOnLists(name, schema) ? parameterReference(name) : parameter(name, 'query', schema),
    ),
    ...(statesMerchant ? [parameterReference('merchant')] : []),
    ...(acceptsIdempotencyKey(operation) ? [parameterReference('idempotencyKey')] : []),
  ]
}

/** A parameter that describes itself otherwise than on lists means something else. */
function meansSameOnLists(name: string, { description }: Json): boolean {
  const known = Object.hasOwn(listParameters, name) ? listParameters[name] : undefined
  return known !== undefined && (description === undefined || description === known.description)
}

function fieldsOf(schema: Operation['query'], { schemas }: Components): [string, Json][] {
  return schema ? Object.entries<Json>(schemas.inline(schema).properties ?? {}) : []
}

/** Ids are shared by the operations of a resource, so they are components. */
function pathParameter(name: string, schema: Json, { parameters }: Components): Json {
  const described = { ...parameter(name, 'path', schema), required: true }
  if (!schema.$ref) return described
  const component = schema.$ref.split('/').at(-1)
  parameters[parameterName(component)] ??= described
  return parameterReference(component)
}

function parameter(name: string, place: 'path' | 'query', { description, examples, ...schema }: Json): Json {
  return {
    name,
    in: place,
    ...(description ? { description } : {}),
    schema,
    // Several values in one parameter, separated by commas.
    ...(schema.type === 'array' ? { explode: false } : {}),
    ...(examples ? { example: examples[0] } : {}),
  }
}

function requestBodyOf({ body }: Operation, { schemas }: Components): Json {
  if (!body) return {}
  const required = !body.safeParse(undefined).success
  return { requestBody: { required, content: jsonContent(schemas.reference(body)) } }
}

function successOf(operation: Operation, components: Components): Json {
  const { status = 200, laterStatus, response, approval } = operation
  const described = (of: number, sent: Operation['response']) => ({
    [of]: successResponse({ ...operation, response: sent }, of, components),
  })
  return {
    ...described(status, response),
    ...(laterStatus && described(laterStatus, response)),
    ...(approval && described(202, approvalResponse)),
  }
}

/** Responses with the same schema, status and headers share a component. */
function successResponse(operation: Operation, status: number, components: Components): Json {
  const { response } = operation
  const { schemas, responses } = components
  const keyed = acceptsIdempotencyKey(operation)
  const linked = fieldsOf(operation.query, components).some(([name]) => name === 'cursor')
  const headers = [
    ...(keyed ? ['Idempotent-Replayed'] : []),
    ...(linked ? ['Link'] : []),
    ...(operation.lines?.isCounted ? ['X-Total-Count'] : []),
  ]
  const about = {
    description: successDescriptions[status],
    ...(headers.length > 0 ? { headers: headerReferences(headers) } : {}),
  }
  if (operation.lines) return { ...about, content: linesContent(operation.lines) }
  if (typeof response === 'string') return { ...about, content: streams[response] }
  const schema = schemas.reference(response)
  const name = [schema.$ref.split('/').at(-1), status !== 200 && status, keyed && 'keyed'].filter(Boolean).join('-')
  responses[name] ??= { ...about, content: jsonContent(schema) }
  return { $ref: `#/components/responses/${name}` }
}

const streams: Record<string, Json> = {
  /** OpenAPI 3.1 cannot describe the events of a stream, so the text does. */
  events: {
    'text/event-stream': {
      schema: {
        type: 'string',
        description:
          'Server-sent events named `payable`: one at once and one after each change, until a final state ends the stream. ' +
          'The data of each is the `data` of the operation that gets the same object.',
      },
      example: 'event: payable\ndata: {"id":"cs_…","status":"completed"}\n\n',
    },
  },
}

function linesContent({ ndjson, csv }: ExportedLines): Json {
  const content = ({ description, example }: ExportedLines['csv']): Json => ({
    schema: { type: 'string', description },
    example,
  })
  return { 'application/x-ndjson': content(ndjson), 'text/csv': content(csv) }
}

/** Returns JSON content. Examples are in the schemas, beside their fields. */
export function jsonContent(schema: Json): Json {
  return { 'application/json': { schema } }
}
