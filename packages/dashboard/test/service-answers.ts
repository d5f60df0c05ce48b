import { readFileSync } from 'node:fs'
import { type JsonOperation, type Operation, operations } from '@cobro/contracts'
import { exampleOf } from '@cobro/generate/schema-examples'

const description = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'))

/** The operations that answer with JSON, those with fixed paths before those with parameters. */
export const jsonOperations: readonly JsonOperation[] = operations
  .filter((one): one is JsonOperation => typeof one.response !== 'string')
  .toSorted((one, other) => (one.path.replaceAll(':', '~') < other.path.replaceAll(':', '~') ? -1 : 1))

/** Returns the operation of an id. */
export function operationOf(id: string): JsonOperation {
  const found = jsonOperations.find(one => one.id === id)
  if (!found) throw new Error(`There is no operation ${id}.`)
  return found
}

/** The merchant of the examples, and the user of it who looks at the dashboard. */
export const merchantId = 'mrc_01kdvc4x2m8p6q7r9s0t1v2w3x'
const user = { email: 'ana@example.com', name: 'Ana López', access: 'owner' }

/** Returns the ids of the operations that a merchant's user may call, but for some. */
export const permissionsWithout = (...some: string[]): string[] =>
  operations.flatMap(({ id, callers }) => (callers.includes('client') && !some.includes(id) ? [id] : []))

const now = Date.now()
const hour = (at: number) => new Date(Math.floor(now / 3_600_000 + at) * 3_600_000).toISOString()

/** What differs from the examples of the API description, by operation. Their rows are of other days, and of any state. */
const differences: Readonly<Record<string, (example: any) => object>> = {
  getMe: ({ data }) => ({
    data: { ...data, kind: 'client', api_key: null, merchants: null, user, permissions: permissionsWithout() },
  }),
  getPreferences: ({ data }) => ({ data: { ...data, locale: null, timezone: null, views: [] } }),
  refreshBrowserLogin: loggedIn,
  browserLogin: loggedIn,
  browserLoginWithFactor: login => ({ ...loggedIn(login), recovery_codes: undefined }),
  confirmLogin: confirmed => ({ ...confirmed, token }),
  listWebhookEvents: ({ through }) => ({ data: [], after: through, through }),
  getPaymentReport: reported,
  getCheckoutReport: reported,
  getWebhookReport: reported,
  getDeclineReport: ({ data }) => ({ data: { ...data, ...openPeriod(data) } }),
}

/** Those of the examples cannot be sent: they have an ellipsis. */
const token = 'eyJhbGciOiJFZERTQSI'

function loggedIn(login: any): object {
  return {
    ...login,
    token,
    user: { ...login.user, merchant_id: merchantId },
  }
}

function reported({ data }: any): object {
  const rows = Array.from({ length: 9 }, (_, at) => ({ ...data.rows[0], group: null, start: hour(at - 6) }))
  return { data: { ...data, ...openPeriod(data), interval: 'hour', rows } }
}

/** From six hours ago until that after the next one. */
function openPeriod({ compared }: any): object {
  const as_of = new Date(now).toISOString()
  return { from: hour(-6), to: hour(3), as_of, compared: { ...compared, to: hour(0) } }
}

/** Returns what the operation of an id answers unless a test says otherwise. */
export function answerOf(id: string): any {
  const operation: Operation = operationOf(id)
  const { path, method, status = 200 } = operation
  const { responses } = description.paths[path.replaceAll(/:(\w+)/g, '{$1}')][method.toLowerCase()]
  const { $ref = '' } = responses[status]
  const { content } = $ref ? description.components.responses[$ref.split('/').at(-1)] : responses[status]
  const example: any = exampleOf(content['application/json'].schema, description.components.schemas)
  return { ...example, ...differences[operation.id]?.(example) }
}
