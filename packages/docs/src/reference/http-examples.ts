import { operations } from '@cobro/contracts'
import type { SdkOperation } from '@cobro/generate/sdk-operations'
import { exampleUrl } from '../site/example-url.ts'

type Input = Record<string, unknown> | undefined

/** A header, and the variable of the environment that its value ends with. */
interface Credential {
  header: string
  scheme: string
  variable: string
}

/** Returns how an operation is called with curl. Ids are variables of the shell. */
export function curlCall(operation: SdkOperation, input: Input): string {
  const { id, method, path } = operation
  const credential = credentialOf(id)
  const isUsual = method === (input ? 'POST' : 'GET')
  return [
    `curl ${isUsual ? '' : `-X ${method} `}${exampleUrl}${path.replace(/\{(\w+)\}/g, (_all, name: string) => `$${name.toUpperCase()}`)}`,
    ...(credential ? [`-H "${credential.header}: ${credential.scheme}$${credential.variable}"`] : []),
    ...(input ? [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(input).replaceAll("'", "'\\''")}'`] : []),
  ].join(' \\\n  ')
}

/** Returns how an operation is called with Python's standard library. Ids are variables. */
export function pythonCall(operation: SdkOperation, input: Input): string {
  const { id, method, path, ids, response } = operation
  const credential = credentialOf(id)
  const headers = [
    ...(credential ? [`'${credential.header}': '${credential.scheme}' + os.environ['${credential.variable}']`] : []),
    ...(input ? [`'Content-Type': 'application/json'`] : []),
  ]
  return [
    `import ${['json', ...(credential ? ['os'] : []), 'urllib.request'].join(', ')}`,
    '',
    'call = urllib.request.Request(',
    `    ${ids.length > 0 ? 'f' : ''}'${exampleUrl}${path}',`,
    `    method='${method}',`,
    ...(headers.length > 0 ? [`    headers={${headers.join(', ')}},`] : []),
    ...(input ? [`    data=json.dumps(${pythonLiteral(input)}).encode(),`] : []),
    ')',
    'with urllib.request.urlopen(call) as answer:',
    response ? '    print(json.load(answer))' : '    print(answer.read().decode())',
  ].join('\n')
}

function credentialOf(id: string): Credential | undefined {
  const callers = operations.find(operation => operation.id === id)?.callers ?? []
  if (callers.includes('payer')) return undefined
  if (callers.includes('key')) return { header: 'Authorization', scheme: 'Token ', variable: 'COBRO_API_KEY' }
  if (callers.includes('acquirer')) return { header: 'Acquirer-Signature', scheme: '', variable: 'SIGNATURE' }
  return { header: 'Authorization', scheme: 'Bearer ', variable: 'COBRO_TOKEN' }
}

function pythonLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${pythonLiteral(field)}`)
  return `{${fields.join(', ')}}`
}
