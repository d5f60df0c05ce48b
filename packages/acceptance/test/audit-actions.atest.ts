import { type EventDeclaration, events } from '@cobro/contracts'
import { waitFor } from '@cobro/testing'
import { decodeProtectedHeader } from 'jose'
import { apiClient } from '../src/api-client.ts'
import { causesOfBlocks } from '../src/audit-causes-of-blocks.ts'
import { causesOfBooks } from '../src/audit-causes-of-books.ts'
import { causesOfPayments } from '../src/audit-causes-of-payments.ts'
import { causesOfPeople } from '../src/audit-causes-of-people.ts'
import { causesOfWebhooks, startAnswering } from '../src/audit-causes-of-webhooks.ts'
import { type AuditWorld, auditWorld, type Causes, type Happening } from '../src/audit-world.ts'

/** The category of an action, by its first word. */
const categories: Record<string, string> = {
  ...{
    checkout_session: 'checkout',
    hosted_page: 'checkout',
    payment_link: 'payment',
    payment: 'payment',
    transaction: 'payment',
  },
  ...{ settlement: 'payment', dispute: 'payment', balance_snapshot: 'payment', fee_rule: 'admin' },
  ...{ rolling_reserve: 'admin', settlement_config: 'admin', sucursal: 'admin', terminal: 'admin' },
  ...{ webhook_endpoint: 'webhook', webhook: 'webhook', auth: 'auth' },
  ...{ merchant: 'admin', user: 'admin', api_key: 'admin', payer: 'admin', approval: 'admin' },
}
/** Every action, each of which needs a cause below. Their checks cover `http.request` as well. */
const actions = Object.entries(events as Record<string, EventDeclaration>)
  .filter(([name, { category }]) => category !== null && name !== 'http.request')
  .map(([name]) => name)

let world: AuditWorld
let receiver: Awaited<ReturnType<typeof startAnswering>>
let reader: ReturnType<typeof apiClient>
const happened = new Map<string, PromiseSettledResult<Happening>[]>()
beforeAll(async () => {
  world = await auditWorld()
  receiver = await startAnswering()
  const {
    'auth.signing_key_rotated': rotated,
    'auth.signing_keys_replaced': replaced,
    ...people
  } = causesOfPeople(world)
  const payments = { ...causesOfPayments(world), ...causesOfBlocks(world) }
  const areas = [payments, causesOfBooks(world), causesOfWebhooks(world, receiver.url), people]
  await Promise.all(areas.map(cause))
  // Last, since they invalidate the tokens that all others use.
  await cause({ 'auth.signing_key_rotated': rotated ?? [], 'auth.signing_keys_replaced': replaced ?? [] })
  reader = await waitFor(readerOfNow)
}, 600_000)
afterAll(async () => {
  receiver?.stop()
  await world?.stack.stop()
})

/** Triggers the actions of an area sequentially. */
async function cause(causes: Causes): Promise<void> {
  for (const [action, ways] of Object.entries(causes)) {
    const results: PromiseSettledResult<Happening>[] = []
    for (const way of ways) results.push(...(await Promise.allSettled([way()])))
    happened.set(action, results)
  }
}

/** Logs the operator in, once the gateway signs with the newest key: it reloads the keys after a moment. */
async function readerOfNow() {
  const { base_url, operator } = world.stack.stack
  const { body } = await apiClient(base_url).call('POST', '/api/auth/login', operator)
  const [newest] = await world.stack.query('select kid from gateway.signing_keys')
  const { kid } = decodeProtectedHeader(body.token)
  return kid === newest.kid && apiClient(base_url, { authorization: `Bearer ${body.token}` })
}

async function eventsWhere(query: Record<string, string | null>): Promise<{ count: number; data: any[] }> {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== null)
  return (await reader.call('GET', `/api/events?${new URLSearchParams(given)}`)).body
}

test.each(actions)('records %s once with its actor, target, call and lifecycle', async action => {
  const results = happened.get(action) ?? []
  expect(results).not.toEqual([])
  for (const result of results) {
    if (result.status === 'rejected') throw result.reason
    const { more, ...expected } = result.value
    const { target_id, request_id } = expected
    const found = await waitFor(async () => {
      const page = await eventsWhere({ action, target_id, request_id })
      return page.data.length > 0 && page
    })
    const category = categories[action.split('.', 1)[0] ?? '']
    expect(found.data).toEqual([expect.objectContaining({ action, category, ...expected, ...more })])
    if (request_id) await isOfCall(request_id, expected)
  }
})

/** Expects the causing call in the log once, under the same request id and lifecycle. */
async function isOfCall(request_id: string, { correlation_id, merchant_id, actor }: Happening): Promise<void> {
  const call = await waitFor(async () => {
    const page = await eventsWhere({ action: 'http.request', request_id })
    return page.data.length > 0 && page
  })
  expect(call.data).toEqual([expect.objectContaining({ method: expect.any(String), path: expect.any(String) })])
  const [row] = call.data
  if (correlation_id) expect([row.path, row.correlation_id]).toEqual([row.path, correlation_id])
  // A login has no known caller yet. A caller who states no merchant makes a call about none.
  if (row.actor.type === 'payer') return
  expect(row.actor).toEqual(actor)
  expect([null, merchant_id]).toContain(row.merchant_id)
}

test('records nothing twice, and nothing under a call that is missing', async () => {
  const { stack } = world
  const twice = await stack.query(
    `select action, target_id, request_id from audit.events where action <> 'http.request'
     group by action, target_id, request_id, metadata->>'attempt' having count(*) > 1`,
  )
  expect(twice).toEqual([])
  const calls = `select request_id from audit.events where action = 'http.request'`
  expect(await stack.query(`${calls} group by 1 having count(*) > 1`)).toEqual([])
  const orphans = `select action, request_id from audit.events where request_id not in (${calls})`
  expect(await waitFor(async () => (await stack.query(orphans)).length === 0)).toBe(true)
  const strange = await stack.query('select distinct action from audit.events where action <> all($1)', [
    [...actions, 'http.request'],
  ])
  expect(strange).toEqual([])
})
