import { acceptsIdempotencyKey, type Operation, operations, type SdkMethod, sdkMethods } from '@cobro/contracts'
import { type Description, flattened, nameOf, type Schema, type Schemas } from './schema-types.ts'

/** An operation with what the SDK has to know about it. */
export interface SdkOperation {
  id: string
  summary: string
  method: Operation['method']
  path: string
  /** The names of the parameters in the path. */
  ids: string[]
  query: Schema[]
  /** The name of the body's schema, and whether one is required. */
  body: { name: string; required: boolean } | undefined
  /** The schema of the response; undefined for a stream. */
  response: Schema | undefined
  /** Whether the response may be an approval instead, for operators. */
  isHeld: boolean
  isList: boolean
  isKeyed: boolean
  /** The name of its method in each client that has it. */
  methods: { keys: string | undefined; users: string | undefined }
}

/** Returns the operations of the API as the SDK sees them. */
export function sdkOperations({ paths, components }: Description): SdkOperation[] {
  const described = operations.filter(({ response }) => response !== 'page')
  return described.map(operation => {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    const there: Schema = paths[path]
    const object: Schema = there[operation.method.toLowerCase()]
    const parameters: Schema[] = [...(there.parameters ?? []), ...(object.parameters ?? [])].map((one: Schema) =>
      one.$ref ? components.parameters[nameOf(one)] : one,
    )
    const response = responseOf(object, components)
    return {
      ...{ id: operation.id, summary: operation.summary, method: operation.method, path },
      ids: Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name),
      query: parameters.filter(one => one.in === 'query'),
      body: bodyOf(object),
      response,
      isHeld: operation.approval !== undefined,
      isList: response !== undefined && isPage(response, components.schemas),
      isKeyed: acceptsIdempotencyKey(operation),
      methods: methodsOf(operation),
    }
  })
}

function responseOf({ responses }: Schema, { responses: shared }: Schema): Schema | undefined {
  const [, response] = Object.entries<Schema>(responses).find(([status]) => status.startsWith('2')) ?? []
  const { content } = response?.$ref ? shared[nameOf(response)] : (response ?? {})
  return content?.['application/json']?.schema
}

function isPage(response: Schema, schemas: Schemas): boolean {
  return 'offset' in (flattened(schemas[nameOf(response)], schemas).properties ?? {})
}

function bodyOf({ requestBody }: Schema): SdkOperation['body'] {
  const schema = requestBody?.content['application/json'].schema
  if (!schema || nameOf(schema) === 'EmptyBody') return undefined
  return { name: nameOf(schema), required: requestBody.required }
}

function methodsOf({ id, callers }: Operation): SdkOperation['methods'] {
  const named: SdkMethod | undefined = sdkMethods[id]
  if (named === undefined) throw new Error(`packages/contracts/src/sdk-methods.ts lacks the operation ${id}`)
  if (typeof named !== 'string') return { keys: undefined, users: named.users }
  const isOpen = callers.includes('payer')
  return {
    keys: isOpen || callers.includes('key') ? named : undefined,
    users: isOpen || callers.includes('client') || callers.includes('operator') ? named : undefined,
  }
}
