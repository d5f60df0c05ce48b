import { type Description, flattened, nameOf, type Schema, type Schemas } from './schema-types.ts'
import { type SdkOperation, sdkOperations } from './sdk-operations.ts'
import { generatedNote } from './source-lists.ts'

const header = `${generatedNote}
import type { MethodCommand } from '../methods/method.ts'
`

/** Objects deeper than this are given as JSON. */
const deepest = 3

/** Prints the methods of the SDK with the fields of their inputs, for the commands of the CLI. */
export function cliCommands(description: Description): string {
  const schemas: Schemas = description.components.schemas
  const byMethod = new Map<string, { users: boolean; keys: boolean; operation: SdkOperation }>()
  for (const operation of sdkOperations(description)) {
    const { keys, users } = operation.methods
    const method = keys ?? users
    if (method === undefined) continue
    const twin = byMethod.get(method)
    byMethod.set(method, {
      // Of two operations with the same method, that of keys describes both.
      operation: twin?.keys ? twin.operation : operation,
      keys: twin?.keys || keys !== undefined,
      users: twin?.users || users !== undefined,
    })
  }
  const entries = [...byMethod]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([method, { operation, ...callers }]) => {
      const { summary, ids, isList, isKeyed } = operation
      const isRead = operation.method === 'GET'
      return [
        method,
        { summary, ids, isList, isKeyed, isRead, ...callers, fields: Object.fromEntries(fieldsOf(operation, schemas)) },
      ]
    })
  const printed = JSON.stringify(Object.fromEntries(entries), null, 2)
  return `${header}\n/** The methods of the SDK by their names. */\nexport const methodCommands: Readonly<Record<string, MethodCommand>> = ${printed}\n`
}

type Field = [path: string, field: { type: string; text: string; required?: true; nullable?: true }]

function fieldsOf({ body, query }: SdkOperation, schemas: Schemas): Field[] {
  if (body) return propertiesOf(schemas[body.name], schemas, '')
  return query.map(({ name, description, schema }) => [
    name,
    { type: kindOf(schema, schemas), text: description ?? '' },
  ])
}

function propertiesOf(schema: Schema, schemas: Schemas, prefix: string): Field[] {
  const { properties = {}, required = [] } = flattened(schema, schemas)
  return Object.entries<Schema>(properties).flatMap(([name, property]) => {
    const path = prefix + name
    const kind = kindOf(property, schemas)
    const mark = {
      ...(required.includes(name) && prefix === '' ? { required: true as const } : {}),
      ...(isNullable(property) ? { nullable: true as const } : {}),
    }
    const resolved = resolve(property, schemas)
    if (kind === 'object' && path.split('.').length < deepest && Object.keys(resolved.properties ?? {}).length > 0) {
      return propertiesOf(resolved, schemas, `${path}.`)
    }
    const isMap = kind === 'object' && typeof resolved.additionalProperties === 'object'
    return [
      [
        isMap ? `${path}.*` : path,
        { type: isMap ? 'any' : kind, text: property.description ?? resolved.description ?? '', ...mark },
      ],
    ]
  })
}

function isNullable({ type, $ref }: Schema): boolean {
  return [type].flat().includes('null') || ($ref !== undefined && nameOf({ $ref }).startsWith('Nullable'))
}

/** Follows references, and takes a nullable schema for itself. */
function resolve(schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref) return resolve(schemas[nameOf(schema)], schemas)
  const [first, second] = schema.anyOf ?? []
  return second?.type === 'null' ? resolve(first, schemas) : flattened(schema, schemas)
}

/** `text` is taken as it is; everything else is read as JSON. */
function kindOf(schema: Schema, schemas: Schemas): string {
  const { type, anyOf, enum: values } = resolve(schema, schemas)
  const types = [type].flat().filter(one => one !== 'null')
  if (values) return 'text'
  if (anyOf) return 'any'
  if (types[0] === 'string' || types[0] === 'array' || types[0] === 'object')
    return types[0] === 'string' ? 'text' : types[0]
  return 'any'
}
