import { type Caller, feeRules, newId } from '@cobro/contracts'
import type { IncomingCall } from '@cobro/http'
import { clientCaller, keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { approveCall } from '../src/approvals/decide-approval.ts'
import { lapseApprovals } from '../src/approvals/lapse-approvals.ts'
import {
  type DualControl,
  dualControlFixture,
  hour,
  large,
  limitCents,
  operators,
  period,
  reserve,
  sale,
} from './dual-control-fixture.ts'
import { serviceCalls } from './service-calls.ts'
import { transactionsUnderTest } from './transactions-service.ts'

let world: DualControl
beforeAll(async () => {
  world = await dualControlFixture()
})
afterAll(() => world.stop())

test('the operator who made a call can neither approve nor reject it', async () => {
  const { ana, luis } = operators()
  const { id } = await world.held(ana, 'POST', '/api/fee-rules', { name: 'Tarifa' })
  for (const word of ['approve', 'reject'] as const) {
    const { status, body } = await world.decide(ana, id, word)
    expect([status, body.error]).toEqual([403, expect.stringContaining('another operator')])
  }
  expect((await world.call(luis, 'GET', `/api/approvals/${id}`)).body.data.status).toBe('pending')
})

test('only an operator of the merchant with the access to money decides, with a fresh login', async () => {
  const { ana, luis, merchant_id } = operators()
  const { id } = await world.held(ana, 'POST', '/api/fee-rules', { name: 'Tarifa' })
  const others: Caller[] = [
    keyCaller(merchant_id),
    clientCaller(merchant_id),
    operators().luis,
    { ...luis, access: 'support' },
    { ...luis, access: 'auditor' },
    { ...luis, access: 'finance', auth_time: Math.floor(Date.now() / 1000) - 3_600 },
  ]
  for (const caller of others) expect((await world.decide(caller, id, 'approve')).status).toBe(403)
  expect((await world.decide({ ...luis, access: 'finance' }, id, 'approve')).status).toBe(200)
})

test('a user that is new, or whose credentials someone else has changed, cannot approve', async () => {
  const { ana, luis } = operators()
  const { id } = await world.held(ana, 'POST', '/api/fee-rules', { name: 'Tarifa' })
  const young = [
    { ...luis, id: newId('usr', Date.now() - 71 * hour) },
    { ...luis, credentials_since: Date.now() / 1000 - 71 * 3_600 },
  ]
  for (const caller of young) {
    const { status, body } = await world.decide(caller, id, 'approve')
    expect([status, body.error]).toEqual([403, expect.stringContaining('older than 72 hours')])
  }
  expect((await world.decide(luis, id, 'approve')).status).toBe(200)
})

test('a rejected call has no effect, and keeps who rejected it and why', async () => {
  const { ana, luis, merchant_id } = operators()
  const { id } = await world.held(ana, 'POST', '/api/fee-rules', { name: 'Tarifa' })
  const { status, body } = await world.decide(luis, id, 'reject', { reason: 'Wrong merchant' })
  expect([status, body.data]).toEqual([
    200,
    expect.objectContaining({ status: 'rejected', decided_by: luis.id, reason: 'Wrong merchant', target_id: null }),
  ])
  expect((await world.decide(luis, id, 'approve')).status).toBe(409)
  const rejected = await waitFor(() => world.eventsOf(merchant_id).find(({ name }) => name === 'approval.rejected'))
  expect(rejected).toMatchObject({ target_id: id, actor: { id: luis.id }, data: { reason: 'Wrong merchant' } })
  expect((await world.rowsOf(merchant_id)).flat()).toEqual([])
})

test('an approval is stored, also of a call that clears the entity manager, as large settlements do', async () => {
  const { ana, luis } = operators()
  const { id } = await world.held(ana, 'POST', '/api/fee-rules', { name: 'Tarifa' })
  const answer = { status: 201, body: JSON.stringify({ data: { id: newId('fee') } }) }
  const clearing = async () => {
    await world.db.write(async tx => tx.clear())
    return answer
  }
  const routes = new Map([
    ['createFeeRule', { operation: feeRules.operations.create, accept: () => ({ answer: clearing, body: undefined }) }],
  ])
  const incoming = { request: {} as IncomingCall['request'], caller: luis, idempotencyId: undefined }
  await approveCall({ db: world.db, approverAgeMs: 0, routes }, incoming, id)
  expect((await world.call(luis, 'GET', `/api/approvals/${id}`)).body.data).toMatchObject({
    status: 'approved',
    decided_by: luis.id,
  })
})

test('a call that fails at its approval leaves it pending and changes nothing', async () => {
  const both = operators()
  const { ana, luis, merchant_id } = both
  const rule = await world.approved(both, 'POST', '/api/fee-rules', { name: 'Tarifa' })
  const change = await world.held(ana, 'PUT', `/api/fee-rules/${rule}`, { priority: 1 })
  await world.approved(both, 'DELETE', `/api/fee-rules/${rule}`)
  expect((await world.decide(luis, change.id, 'approve')).status).toBe(404)

  const active = { ...reserve, active: true }
  const [first, second] = [
    await world.held(ana, 'POST', '/api/rolling-reserve', active),
    await world.held(ana, 'POST', '/api/rolling-reserve', active),
  ]
  expect((await world.decide(luis, first.id, 'approve')).status).toBe(200)
  const refused = await world.decide(luis, second.id, 'approve')
  expect([refused.status, refused.body.error]).toEqual([409, expect.stringContaining('another rolling reserve')])

  for (const { id } of [change, second])
    expect((await world.call(luis, 'GET', `/api/approvals/${id}`)).body.data).toMatchObject({ status: 'pending' })
  expect((await world.rowsOf(merchant_id))[2]).toHaveLength(1)
})

test('a settlement that would pay out more than the approver saw is not approved', async () => {
  const both = operators()
  const { ana, luis } = both
  await world.settleable(both)
  const seen = await world.held(ana, 'POST', '/api/settlements', period())
  const captured_at = new Date(Date.now() - 60_000).toISOString()
  expect((await world.call(ana, 'POST', '/api/transactions', { ...sale, captured_at })).status).toBe(201)
  const refused = await world.decide(luis, seen.id, 'approve')
  expect([refused.status, refused.body.error]).toEqual([
    409,
    expect.stringContaining(`the amount is now ${2 * limitCents + 1}`),
  ])
  expect((await world.rowsOf(both.merchant_id))[3]).toEqual([])
  expect((await world.decide(luis, seen.id, 'reject')).status).toBe(200)
})

test('an approval lapses after 72 hours, and cannot be approved from then on', async () => {
  const { ana, luis, merchant_id } = operators()
  const { id } = await world.held(ana, 'POST', '/api/fee-rules', { name: 'Tarifa' })
  expect(await lapseApprovals(world.db)).toBe(false)
  await world.service.database.query(`update transactions.approvals set lapses_at = now() where id = $1`, [id])
  const late = await world.decide(luis, id, 'approve')
  expect([late.status, late.body.error]).toEqual([409, expect.stringContaining('lapsed')])
  await Promise.all(Array.from({ length: 4 }, () => lapseApprovals(world.db)))
  expect((await world.call(luis, 'GET', `/api/approvals/${id}`)).body.data).toMatchObject({
    status: 'lapsed',
    decided_by: null,
  })
  const lapses = () => world.eventsOf(merchant_id).filter(({ name }) => name === 'approval.lapsed')
  await waitFor(() => lapses().length > 0)
  expect(lapses()).toEqual([expect.objectContaining({ target_id: id, actor: { type: 'system', id: null } })])
  expect((await world.rowsOf(merchant_id)).flat()).toEqual([])
})

test('the same Idempotency-Key returns the same approval, and a repeated approval the same decision', async () => {
  const { ana, luis, merchant_id } = operators()
  const create = () => world.call(ana, 'POST', '/api/transactions', large, { 'idempotency-key': 'once' })
  const [first, second] = [await create(), await create()]
  expect([first.status, second.status, second.body]).toEqual([202, 202, first.body])
  const approve = () =>
    world.call(luis, 'POST', `/api/approvals/${first.body.data.id}/approve`, undefined, { 'idempotency-key': 'yes' })
  const [decided, again] = [await approve(), await approve()]
  expect([decided.status, again.status, again.body]).toEqual([200, 200, decided.body])
  expect((await world.rowsOf(merchant_id))[0]).toHaveLength(1)
  // The call that needs no approval keeps its key, too.
  const small = () => world.call(ana, 'POST', '/api/transactions', sale, { 'idempotency-key': 'small' })
  const [made, repeated] = [await small(), await small()]
  expect([made.status, repeated.body]).toEqual([201, made.body])
})

test('lists show the approvals of the merchants in the scope of an operator', async () => {
  const { ana, luis, merchant_id } = operators()
  const [first, second] = [
    await world.held(ana, 'POST', '/api/fee-rules', { name: 'A' }),
    await world.held(ana, 'POST', '/api/transactions', large),
  ]
  await world.decide(luis, first.id, 'reject')
  const ids = async (caller: Caller, query = '') =>
    (await world.call(caller, 'GET', `/api/approvals${query}`)).body.data.map(({ id }: { id: string }) => id)
  expect(await ids(luis)).toEqual([second.id, first.id])
  expect(await ids(luis, '?status=pending')).toEqual([second.id])
  expect(await ids(luis, '?operation=createFeeRule&status=pending,rejected')).toEqual([first.id])
  expect(await ids(operatorCaller([merchant_id]))).toEqual([second.id, first.id])
  expect(await ids(operatorCaller([newId('mrc')]))).toEqual([])
  expect((await world.call(clientCaller(merchant_id), 'GET', '/api/approvals')).status).toBe(403)
  expect((await world.call(operators().luis, 'GET', `/api/approvals/${first.id}`)).status).toBe(403)
})

test('the database role cannot delete approvals or change what was called', async () => {
  const { ana } = operators()
  const { id } = await world.held(ana, 'POST', '/api/fee-rules', { name: 'Tarifa' })
  const denied = [
    'delete from transactions.approvals where id = ?',
    `update transactions.approvals set requested_by = 'usr_1' where id = ?`,
    `update transactions.approvals set operation = 'deleteFeeRule' where id = ?`,
  ]
  for (const sql of denied) await expect(world.db.execute(sql, [id])).rejects.toThrow('permission denied')
})

test('what is pending can still be decided after dual control was turned off', async () => {
  const { ana, luis, merchant_id } = operators()
  const off = await transactionsUnderTest('http://127.0.0.1:9', { APPROVER_AGE_HOURS: 72 })
  try {
    const { id } = await world.held(ana, 'POST', '/api/fee-rules', { name: 'Tarifa' })
    const [row] = await world.service.database.query('select * from transactions.approvals where id = $1', [id])
    const json = JSON.stringify(row)
    const insert =
      'insert into transactions.approvals select * from jsonb_populate_record(null::transactions.approvals, $1)'
    await off.database.query(insert, [json])
    const approve = await serviceCalls(() => off)(luis, 'POST', `/api/approvals/${id}/approve`)
    expect([approve.status, approve.body.data.merchant_id]).toEqual([200, merchant_id])
  } finally {
    await off.stop()
  }
})

test('in the sandbox no call needs an approval unless DUAL_CONTROL is on', async () => {
  const sandbox = await transactionsUnderTest('http://127.0.0.1:9')
  try {
    const { ana } = operators()
    const inSandbox = serviceCalls(() => sandbox)
    expect((await inSandbox(ana, 'POST', '/api/fee-rules', { name: 'Tarifa' })).status).toBe(201)
    expect((await inSandbox(ana, 'POST', '/api/transactions', { ...sale, amount_cents: 50_000_000 })).status).toBe(201)
  } finally {
    await sandbox.stop()
  }
})
