import { declineReasons, errorStatus } from '@cobro/contracts'
import {
  commentOf,
  type Description,
  declarationOf,
  nameOf,
  reachable,
  type Schema,
  type Schemas,
  typeOf,
} from './schema-types.ts'
import { type SdkOperation, sdkOperations } from './sdk-operations.ts'
import { generatedNote } from './source-lists.ts'

/** The envelope of all events in the description; in the SDK, the union of them. */
const union = 'WebhookEvent'

const note = `${generatedNote}\n`
const header = `${note}
/** Any JSON. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue }
`

/** Prints the types of the API for the SDK: what operations take and return, the events of webhooks, and error codes. */
export function sdkTypes(description: Description): string {
  const schemas: Schemas = description.components.schemas
  const events = eventNames(description)
  const callable = sdkOperations(description).filter(({ methods }) => methods.keys ?? methods.users)
  const ofOperations = callable.flatMap(({ body, response }) =>
    [body?.name ?? [], response ? nameOf(response) : []].flat(),
  )
  const ofQueries = callable.flatMap(({ query }) => namesIn(query))
  const objects = reachable([...events, ...ofOperations, ...ofQueries], schemas).filter(name => name !== union)
  return [
    header,
    ...objects.toSorted().map(name => declarationOf(name, schemas)),
    ...callable.filter(({ query }) => query.length > 0).map(paramsOf),
    `/** An event that webhooks receive. Its \`event\` says what its \`data\` is. */\nexport type ${union} =\n${bars(events)}\n`,
  ].join('\n')
}

/** Prints the codes of errors, which the transport has to know. */
export function sdkErrorCodes(): string {
  return [
    note,
    `/** Why an issuer declines a card. */\nexport type DeclineReason =\n${bars(declineReasons.map(quoted))}\n`,
    `/** The codes of errors. */\nexport type KnownErrorCode =\n${bars(Object.keys(errorStatus).map(quoted))}\n`,
  ].join('\n')
}

/** Returns the names of the schemas that something refers to. */
function namesIn(json: unknown): string[] {
  return Array.from(JSON.stringify(json).matchAll(/#\/components\/schemas\/(\w+)"/g), ([, name = '']) => name)
}

/** Returns the names of the schemas of the events that webhooks receive. */
export function eventNames({ webhooks }: Description): string[] {
  return Object.values<Schema>(webhooks).map(({ post }) => nameOf(post.requestBody.content['application/json'].schema))
}

/** Returns the name of the type of an operation's query parameters. */
export function paramsNameOf({ id }: SdkOperation): string {
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}Params`
}

function paramsOf(operation: SdkOperation): string {
  const fields = operation.query.map(({ name, description, schema }) => {
    return `${commentOf({ description }, '  ')}  ${name}?: ${parameterType(schema, description)} | undefined\n`
  })
  return `/** The query of \`${operation.id}\`. */\nexport interface ${paramsNameOf(operation)} {\n${fields.join('')}}\n`
}

/** A query is text, so its numbers, times, lists and objects are described as text. */
function parameterType(schema: Schema, description = ''): string {
  if (schema.type === 'array') {
    const item = typeOf(schema.items, '')
    return `${item} | readonly (${item})[]`
  }
  if (schema.anyOf) return [...new Set(schema.anyOf.map((one: Schema) => parameterType(one)))].join(' | ')
  if (schema.$ref && ['Day', 'Timestamp'].includes(nameOf(schema))) return 'string | Date'
  if (schema.enum?.join() === 'true,false') return `boolean | ${typeOf(schema, '')}`
  if (schema.type !== 'string' || schema.enum || schema.const) return typeOf(schema, '')
  // A number, not a fixed count of digits, which would lose its leading zeros.
  if (/\\d(?!\{\d+\})/.test(schema.pattern ?? '')) return 'string | number'
  if (description.includes('separated by commas')) return 'string | readonly string[]'
  return description.startsWith('A JSON object') ? 'string | Readonly<Record<string, JsonValue>>' : 'string'
}

function bars(types: readonly string[]): string {
  return types.map(type => `  | ${type}`).join('\n')
}

function quoted(text: string): string {
  return `'${text}'`
}
