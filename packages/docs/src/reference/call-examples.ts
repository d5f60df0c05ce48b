import { exampleOf } from '@cobro/generate/schema-examples'
import { flattened, type Schema, type Schemas } from '@cobro/generate/schema-types'
import type { SdkOperation } from '@cobro/generate/sdk-operations'
import { exampleUrl } from '../site/example-url.ts'

/** Returns how an operation is called with curl, the SDK and the command, as blocks of Markdown. */
export function callExamples(operation: SdkOperation, schemas: Schemas): string {
  const { methods } = operation
  const input = exampleInput(operation, schemas)
  const blocks = [`\`\`\`bash\n${curlOf(operation, input)}\n\`\`\``]
  const method = methods.keys ?? methods.users
  if (method) blocks.push(`\`\`\`typescript\n${sdkCall(operation, method, input)}\n\`\`\``)
  return blocks.join('\n\n')
}

/** An input with the required fields, or else with the first one, so that an example does something. */
function exampleInput({ body }: SdkOperation, schemas: Schemas): Record<string, unknown> | undefined {
  if (!body) return undefined
  const { properties = {}, required = [] } = flattened(schemas[body.name], schemas)
  const names: string[] = required.length > 0 ? required : Object.keys(properties).slice(0, 1)
  return Object.fromEntries(names.map(name => [name, exampleOf(properties[name], schemas)]))
}

function curlOf({ method, path, methods }: SdkOperation, input: object | undefined): string {
  const url = exampleUrl + path.replace(/\{(\w+)\}/g, (_all, name: string) => `$${name.toUpperCase()}`)
  const credential = methods.keys ? 'Token $COBRO_API_KEY' : 'Bearer $COBRO_TOKEN'
  return [
    `curl ${method === 'GET' || input ? '' : `-X ${method} `}${url}`,
    `-H "Authorization: ${credential}"`,
    ...(input && method !== 'POST' ? [`-X ${method}`] : []),
    ...(input ? [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(input)}'`] : []),
  ].join(' \\\n  ')
}

function sdkCall({ ids, isList, methods }: SdkOperation, method: string, input: object | undefined): string {
  const given = [...ids, ...(input ? [literal(input)] : [])].join(', ')
  const client = methods.keys ? 'cobro' : 'admin'
  if (!isList) return `const result = await ${client}.${method}(${given})`
  return `for await (const row of ${client}.${method}(${given})) console.log(row.id)`
}

/** Writes an object as a program does: names without quotes where they need none. */
function literal(value: Schema): string {
  return JSON.stringify(value, null, 2)
    .replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replaceAll(/"((?:[^"\\]|\\.)*)"/g, (_all, text: string) => `'${text.replaceAll("'", "\\'")}'`)
}
