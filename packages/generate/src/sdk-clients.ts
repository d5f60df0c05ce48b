import { type Description, flattened, nameOf, type Schema, type Schemas } from './schema-types.ts'
import { type SdkOperation, sdkOperations } from './sdk-operations.ts'
import { paramsNameOf } from './sdk-types.ts'
import { generatedNote } from './source-lists.ts'

type Client = 'keys' | 'users'
/** Methods by name, in groups. */
interface Tree {
  [name: string]: Tree | SdkOperation
}

/** Prints the methods of a client: their types, and the operations behind them as data. */
export function sdkClient(description: Description, client: Client): string {
  const schemas: Schemas = description.components.schemas
  const name = client === 'keys' ? 'MerchantMethods' : 'UserMethods'
  const tree = treeOf(sdkOperations(description), client)
  const types = printTypes(tree, schemas, { client, indent: '  ' })
  return [
    generatedNote,
    `import type { Call } from '../transport/call.ts'`,
    `import type { ListCall } from '../transport/list-call.ts'`,
    `import type { MethodTree } from '../transport/operation-row.ts'`,
    `import type { CallOptions, ListOptions, WriteOptions } from '../transport/options.ts'`,
    `import type * as Api from './types.ts'\n`,
    `/** The methods of a client for ${client === 'keys' ? "a merchant's server" : 'users and operators'}. */`,
    `export interface ${name} {\n${types}}\n`,
    `export const ${name.charAt(0).toLowerCase()}${name.slice(1)}: MethodTree = {\n${printRows(tree, schemas, '  ')}}\n`,
  ].join('\n')
}

function treeOf(all: readonly SdkOperation[], client: Client): Tree {
  const root: Tree = {}
  for (const operation of all) {
    const path = operation.methods[client]?.split('.') ?? []
    const last = path.pop()
    if (last === undefined) continue
    let group: Tree = root
    for (const name of path) {
      const inner = group[name] ?? {}
      if (isOperation(inner)) throw new Error(`${name} is both a method and a group in the SDK`)
      group[name] = inner
      group = inner
    }
    if (last in group) throw new Error(`Two operations are ${operation.methods[client]} in the SDK`)
    group[last] = operation
  }
  return root
}

function isOperation(member: Tree | SdkOperation): member is SdkOperation {
  return typeof member.id === 'string'
}

function printTypes(tree: Tree, schemas: Schemas, { client, indent }: { client: Client; indent: string }): string {
  const members = Object.entries(tree).map(([name, member]) =>
    isOperation(member)
      ? `${indent}/** ${member.summary}. */\n${indent}${name}(${argumentsOf(member)}): ${resultOf(member, schemas, client)}\n`
      : `${indent}readonly ${name}: {\n${printTypes(member, schemas, { client, indent: `${indent}  ` })}${indent}}\n`,
  )
  return members.join('')
}

function argumentsOf(operation: SdkOperation): string {
  const { ids, body, query, isKeyed, isList } = operation
  const options = isList ? 'ListOptions' : isKeyed ? 'WriteOptions' : 'CallOptions'
  return [
    ...ids.map(name => `${name}: string`),
    ...(body ? [`input${body.required ? '' : '?'}: Api.${body.name}`] : []),
    ...(query.length > 0 ? [`params?: Api.${paramsNameOf(operation)}`] : []),
    `options?: ${options}`,
  ].join(', ')
}

/** Only operators' calls need approvals, so a merchant's server gets none. */
function resultOf({ response, isList, isHeld }: SdkOperation, schemas: Schemas, client: Client): string {
  if (response === undefined) return 'Call<Response>'
  if (isList) return `ListCall<Api.${nameOf(response)}>`
  const data = soleData(response, schemas)
  const name = nameOf(response)
  const result = `Api.${data?.$ref ? nameOf(data) : data ? `${name}['data']` : name}`
  return `Call<${isHeld && client === 'users' ? `${result} | Api.Approval` : result}>`
}

/** Returns the schema of `data` if a response has nothing beside it. */
function soleData(response: Schema, schemas: Schemas): Schema | undefined {
  const { properties = {} } = flattened(schemas[nameOf(response)], schemas)
  return Object.keys(properties).join() === 'data' ? properties.data : undefined
}

function printRows(tree: Tree, schemas: Schemas, indent: string): string {
  const members = Object.entries(tree).map(([name, member]) =>
    isOperation(member)
      ? `${indent}${name}: [${rowOf(member, schemas)}],\n`
      : `${indent}${name}: {\n${printRows(member, schemas, `${indent}  `)}${indent}},\n`,
  )
  return members.join('')
}

function rowOf({ id, method, path, body, query, response, isList, isKeyed }: SdkOperation, schemas: Schemas): string {
  const traits = [
    ...(body || query.length > 0 ? ['input'] : []),
    ...(isKeyed ? ['key'] : []),
    ...(isList ? ['list'] : []),
    ...(response === undefined ? ['stream'] : !isList && soleData(response, schemas) ? ['data'] : []),
  ]
  return [id, method, path, ...traits].map(text => `'${text}'`).join(', ')
}
