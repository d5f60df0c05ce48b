import { operations } from '@cobro/contracts'
import { exampleOf } from '@cobro/generate/schema-examples'
import type { Schema, Schemas } from '@cobro/generate/schema-types'
import type { SdkOperation } from '@cobro/generate/sdk-operations'
import { exampleUrl } from '../site/example-url.ts'

/** Returns how an operation is called with curl, the SDK and the command `cobro`, as blocks of Markdown. */
export function callExamples(operation: SdkOperation, schemas: Schemas): string {
  const { methods } = operation
  const input = exampleInput(operation, schemas)
  const blocks = [`\`\`\`bash\n${curlOf(operation, input)}\n\`\`\``]
  const method = methods.keys ?? methods.users
  if (method) blocks.push(`\`\`\`typescript\n${sdkCall(operation, method, input)}\n\`\`\``)
  // Logins of the command are `cobro login`.
  if (method && !method.startsWith('auth.'))
    blocks.push(`\`\`\`bash cobro\n${commandOf(operation, method, input)}\n\`\`\``)
  return blocks.join('\n\n')
}

/** Returns the smallest input that the contract accepts, made of the examples of its fields. */
export function exampleInput({ id, body }: SdkOperation, schemas: Schemas): Record<string, unknown> | undefined {
  if (!body) return undefined
  const contract = operations.find(operation => operation.id === id)?.body
  let input = exampleOf(schemas[body.name], schemas) as Record<string, unknown>
  for (const name of Object.keys(input).reverse()) {
    const { [name]: _dropped, ...smaller } = input
    if (Object.keys(smaller).length > 0 && contract?.safeParse(smaller).success) input = smaller
  }
  return input
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

/** The command has the last two parts of a method's name, and an option for each field that is no object. */
function commandOf({ ids }: SdkOperation, method: string, input: Record<string, unknown> = {}): string {
  const words = method.split('.').slice(-2).map(kebab)
  const fields = Object.entries(input)
  const isFlat = fields.every(([, value]) => typeof value !== 'object')
  const options = isFlat
    ? fields.map(([name, value]) => `--${kebab(name)} ${quoted(String(value))}`)
    : [`--data ${quoted(JSON.stringify(input))}`]
  return ['cobro', ...words, ...ids.map(id => `$${id.toUpperCase()}`), ...options].join(' ')
}

const kebab = (name: string) => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`).replaceAll('_', '-')

const quoted = (text: string) => (/^[\w@./:+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
