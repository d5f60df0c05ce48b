import type { Schema, Schemas } from '@cobro/generate/schema-types'
import type { SdkOperation } from '@cobro/generate/sdk-operations'
import { exampleInput } from './example-input.ts'
import { curlCall, pythonCall } from './http-examples.ts'

/** Returns how an operation is called with curl, the SDK, the command `cobro` and Python, as blocks of Markdown. */
export function callExamples(operation: SdkOperation, schemas: Schemas): string {
  const input = exampleInput(operation, schemas)
  const method = operation.methods.keys ?? operation.methods.users
  const blocks = [
    ['bash', curlCall(operation, input)],
    ...(method ? [['typescript', sdkCall(operation, method, input)]] : []),
    // Logins of the command are `cobro login`.
    ...(method && !method.startsWith('auth.') ? [['bash cobro', commandOf(operation, method, input)]] : []),
    ['python Python', pythonCall(operation, input)],
  ]
  return blocks.map(([language, code]) => `\`\`\`${language}\n${code}\n\`\`\``).join('\n\n')
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
