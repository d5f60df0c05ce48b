import { type Operation, operations } from '@cobro/contracts'
import { seededRandom } from '@cobro/testing/seeded-random'
import pLimit from 'p-limit'
import { type AcceptanceStack, acceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { effects, type Injection, injectionsOf } from '../src/injections.ts'
import { type MatrixCall, matrixCalls } from '../src/matrix-calls.ts'

const seed = Number(process.env.COBRO_TEST_SEED ?? 20260727)
const reviewed = 1_690
const count = process.env.COBRO_TEST_LONG === '1' ? 2 * reviewed : 340
const concurrency = 6
const marker = 'Ajeno 7d1f'

let stack: AcceptanceStack
let clients: Awaited<ReturnType<typeof clientsOf>>
let valid: Awaited<ReturnType<typeof matrixCalls>>
/** What no answer to the first merchant may contain: ids and texts of the second one. */
let foreign: string[]
beforeAll(async () => {
  stack = await acceptanceStack({ transactions: { BANK_CHANGE_HOLD_HOURS: '72' } })
  clients = await clientsOf(stack.stack)
  foreign = [marker, stack.stack.second.merchant_id, ...(await foreignObjects())]
  valid = await matrixCalls(stack)
})
afterAll(() => stack?.stop())

/** Creates objects of the second merchant and returns their ids. */
async function foreignObjects(): Promise<string[]> {
  const sale = { rail: 'online_cnp', payment_method: 'card', amount_cents: 100, reference: marker }
  const objects: [path: string, body: object][] = [
    ['/checkout/v1/sessions', { amount_total: 100, return_url: 'https://shop.mx', external_id: marker }],
    ['/checkout/v1/links', { amount_cents: 100, concepto: marker }],
    ['/api/sucursales', { name: marker }],
    ['/api/terminales', { name: marker, serial: marker }],
    ['/api/webhooks', { url: 'http://127.0.0.1:18080/', events: ['*'], description: marker }],
  ]
  const answers = [
    ...(await Promise.all(objects.map(([path, body]) => clients.stranger.call('POST', path, body)))),
    await clients.operator.call('POST', '/api/transactions', sale, {
      'x-merchant-id': stack.stack.second.merchant_id,
    }),
  ]
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
  return answers.map(({ body }) => (body.data ?? body).id)
}

/** Returns the headers of a caller who may call the operation, one of the merchant if possible. */
function callerOf({ callers }: Operation) {
  return (['key', 'client', 'operator'] as const).find(kind => callers.includes(kind)) ?? 'payer'
}

/** Makes a call, and returns what is wrong with its answer. */
async function inject({ operation, place, attack, apply }: Injection, call: MatrixCall) {
  const { path, body } = apply(call)
  const kind = callerOf(operation)
  const client = kind === 'key' ? clients.merchant : clients[kind]
  const stated: Record<string, string> =
    kind === 'operator' && operation.tenant ? { 'x-merchant-id': stack.stack.merchant_id } : {}
  const { status, headers, text } = await client.call(operation.method, path, body, { ...stated, ...call.headers })
  const faults: string[] = []
  if (status >= 500) faults.push(`is answered with ${status}`)
  if (effects.test(text)) faults.push('has an effect')
  if (headers.has('x-injected') || headers.get('set-cookie')?.includes('injected')) faults.push('adds a header')
  if (/html/.test(headers.get('content-type') ?? '') && typeof attack === 'string' && /[<>]/.test(attack))
    if (text.includes(attack)) faults.push('is part of a page')
  const isScoped = kind !== 'operator' || operation.tenant
  if (isScoped && foreign.some(part => text.includes(part))) faults.push('shows another merchant')
  const about = `${operation.id}: ${JSON.stringify(attack)} as ${place}`
  return { status, faults: faults.map(fault => `${about} ${fault}: ${text.slice(0, 300)}`) }
}

/** Returns some of all injections, by operation. */
function chooseInjections(): Map<Operation, Injection[]> {
  const random = seededRandom(seed)
  const all = operations.flatMap(injectionsOf).map(injection => ({ injection, at: random() }))
  const chosen = all.toSorted((one, other) => one.at - other.at).slice(0, count)
  return Map.groupBy(
    chosen.map(({ injection }) => injection),
    ({ operation }) => operation,
  )
}

test('injections cause no server error, have no effect, and show no page or row that they should not', async () => {
  const faults: string[] = []
  const statuses = new Map<number, number>()
  await pLimit(concurrency).map([...chooseInjections()], async ([{ id, method }, injections]) => {
    const makeValid = async () => (await valid[id]?.()) ?? {}
    let call = await makeValid()
    for (const injection of injections) {
      const answer = await inject(injection, call)
      faults.push(...answer.faults)
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      // An accepted write may have used up its object.
      if (method !== 'GET' && answer.status < 300) call = await makeValid()
    }
  })
  process.stdout.write(`${count} injections (seed ${seed}): ${JSON.stringify(Object.fromEntries(statuses))}\n`)
  expect(faults).toEqual([])
  expect([...statuses.values()].reduce((sum, one) => sum + one, 0)).toBe(count)
  const changed = await stack.query("select 1 from gateway.users where role = 'operator' and email <> $1", [
    stack.stack.operator.email,
  ])
  expect(changed).toEqual([])
})
