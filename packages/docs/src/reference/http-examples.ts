import { operations } from '@cobro/contracts'
import type { SdkOperation } from '@cobro/generate/sdk-operations'
import { exampleUrl } from '../site/example-url.ts'

type Input = Record<string, unknown> | undefined

/** A header whose value ends with a variable of the environment. */
interface Header {
  name: string
  scheme: string
  variable: string
}

/** Returns how an operation is called with curl. Ids are variables of the shell. */
export function curlCall(operation: SdkOperation, input: Input): string {
  const { method, path } = operation
  const isUsual = method === (input ? 'POST' : 'GET')
  const address = `${exampleUrl}${path.replace(/\{(\w+)\}/g, (_all, name: string) => `$${name.toUpperCase()}`)}`
  return [
    `curl ${isUsual ? '' : `-X ${method} `}${address}`,
    ...headersOf(operation).map(({ name, scheme, variable }) => `-H "${name}: ${scheme}$${variable}"`),
    ...(input ? [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(input).replaceAll("'", "'\\''")}'`] : []),
  ].join(' \\\n  ')
}

/** Returns how an operation is called with Python's standard library. Ids are variables. */
export function pythonCall(operation: SdkOperation, input: Input): string {
  const { method, path, ids, response } = operation
  const variables = headersOf(operation).map(({ name, scheme, variable }) => {
    return `'${name}': ${scheme === '' ? '' : `'${scheme}' + `}os.environ['${variable}']`
  })
  const headers = [...variables, ...(input ? [`'Content-Type': 'application/json'`] : [])]
  return [
    `import ${['json', ...(variables.length > 0 ? ['os'] : []), 'urllib.request'].join(', ')}`,
    '',
    'call = urllib.request.Request(',
    `    ${ids.length > 0 ? 'f' : ''}'${exampleUrl}${path}',`,
    `    method='${method}',`,
    ...(headers.length > 0 ? ['    headers={', ...headers.map(header => `        ${header},`), '    },'] : []),
    ...(input ? [`    data=json.dumps(${pythonLiteral(input)}).encode(),`] : []),
    ')',
    'with urllib.request.urlopen(call) as answer:',
    response ? '    print(json.load(answer))' : '    print(answer.read().decode())',
  ].join('\n')
}

/** The credential, the merchant that an operator acts for, and the key that makes a repetition safe. */
function headersOf({ id, isKeyed }: SdkOperation): Header[] {
  const operation = operations.find(one => one.id === id)
  const { callers = [], tenant = false } = operation ?? {}
  const credential = credentialOf(callers)
  const isOfOperators = tenant && !['key', 'client', 'payer'].some(caller => (callers as string[]).includes(caller))
  return [
    ...(credential ? [credential] : []),
    ...(isOfOperators ? [{ name: 'X-Merchant-Id', scheme: '', variable: 'MERCHANT_ID' }] : []),
    ...(isKeyed ? [{ name: 'Idempotency-Key', scheme: '', variable: 'IDEMPOTENCY_KEY' }] : []),
  ]
}

function credentialOf(callers: readonly string[]): Header | undefined {
  if (callers.includes('payer')) return undefined
  if (callers.includes('key')) return { name: 'Authorization', scheme: 'Token ', variable: 'COBRO_API_KEY' }
  if (callers.includes('acquirer')) return { name: 'Acquirer-Signature', scheme: '', variable: 'SIGNATURE' }
  return { name: 'Authorization', scheme: 'Bearer ', variable: 'COBRO_TOKEN' }
}

function pythonLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${pythonLiteral(field)}`)
  return `{${fields.join(', ')}}`
}
