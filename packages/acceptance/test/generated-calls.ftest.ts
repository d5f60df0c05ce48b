import { type Operation, operations } from '@cobro/contracts'
import { seededRandom } from '@cobro/testing/seeded-random'
import pLimit from 'p-limit'
import { type AcceptanceStack, acceptanceStack } from '../src/acceptance-stack.ts'
import { type ApiClient, apiClient, clientsOf } from '../src/api-client.ts'
import { type GeneratedCall, generateCalls } from '../src/generated-calls.ts'
import { type MatrixCall, matrixCalls } from '../src/matrix-calls.ts'

const seed = Number(process.env.COBRO_TEST_SEED ?? 20260727)
const count = process.env.COBRO_TEST_LONG === '1' ? 20_000 : 2_000
const concurrency = 6

/** What an answer to a stranger must not contain: code, queries, addresses of the machine. */
const leak =
  /node_modules|\.ts:\d|\bat \w+ \(|\bselect .* from\b|\binsert into\b|violates|ECONN|127\.0\.0\.1|postgres:/i

let stack: AcceptanceStack
let clients: Awaited<ReturnType<typeof clientsOf>>
let valid: Awaited<ReturnType<typeof matrixCalls>>
beforeAll(async () => {
  stack = await acceptanceStack({ transactions: { BANK_CHANGE_HOLD_HOURS: '72' } })
  clients = await clientsOf(stack.stack)
  // With the same logins: one of the operations ends all others of its user.
  valid = await matrixCalls(stack, clients)
})
afterAll(() => stack?.stop())

/** Operations with an answer to check. */
const tested = operations.filter(
  ({ response }) => response !== 'page' && response !== 'events' && response !== 'export',
)

/** Returns the client with the most rights for an operation. */
function clientFor({ callers }: Operation): ApiClient {
  if (callers.includes('operator')) return clients.operator
  if (callers.includes('client')) return clients.client
  if (callers.includes('key')) return clients.merchant
  return apiClient(stack.stack.base_url)
}

/** Returns some of all generated calls, by operation. */
function chooseCalls(): Map<Operation, GeneratedCall[]> {
  const random = seededRandom(seed)
  const all = tested.flatMap(generateCalls).map(call => ({ call, at: random() }))
  const chosen = all.toSorted((one, other) => one.at - other.at).slice(0, count)
  return Map.groupBy(
    chosen.map(({ call }) => call),
    ({ operation }) => operation,
  )
}

test('hostile parameters, fields, bodies and headers get a described answer that is no server error and leaks nothing', async () => {
  const found: string[] = []
  const statuses = new Map<number, number>()
  const check = async ({ operation, change, apply }: GeneratedCall, call: MatrixCall): Promise<number> => {
    const { path, body, headers } = apply(call)
    const stated: Record<string, string> = operation.tenant ? { 'x-merchant-id': stack.stack.merchant_id } : {}
    const about = `${operation.id} with ${change}`
    try {
      const answer = await clientFor(operation).call(operation.method, path, body, { ...stated, ...headers })
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      if (answer.status >= 500) found.push(`${about}: ${answer.status} ${answer.body?.error}`)
      if (answer.status >= 400 && leak.test(JSON.stringify(answer.body ?? '')))
        found.push(`${about} leaks: ${JSON.stringify(answer.body)}`)
      return answer.status
    } catch (error) {
      // `fetch` cannot send some headers at all.
      if (!(error instanceof TypeError && /header|ByteString/.test(error.message))) found.push(`${about}: ${error}`)
      return 0
    }
  }
  await pLimit(concurrency).map([...chooseCalls()], async ([{ id }, calls]) => {
    const makeValid = async () => (await valid[id]?.()) ?? {}
    let call = await makeValid()
    for (const generated of calls) {
      const status = await check(generated, call)
      // An accepted write may have used up its object.
      if (generated.operation.method !== 'GET' && status >= 200 && status < 300) call = await makeValid()
    }
  })
  process.stdout.write(`${count} generated calls (seed ${seed}): ${JSON.stringify(Object.fromEntries(statuses))}\n`)
  expect(found).toEqual([])
  expect([...statuses.values()].reduce((sum, one) => sum + one, 0)).toBeGreaterThan(0.9 * count)
})
