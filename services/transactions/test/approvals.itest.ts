import { newId } from '@cobro/contracts'
import { clientCaller, keyCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { checkLedger } from '../src/ledger-check/check-ledger.ts'
import {
  type DualControl,
  dualControlFixture,
  hour,
  large,
  limitCents,
  type Operators,
  operators,
  period,
  reserve,
  sale,
} from './dual-control-fixture.ts'

let world: DualControl
beforeAll(async () => {
  world = await dualControlFixture()
})
afterAll(() => world.stop())

/** A call that needs an approval: what it needs before, and what it changes. */
interface Held {
  prepare?: (both: Operators) => Promise<string>
  request: (id: string) => [method: string, path: string, body?: object]
  event: string
}

const heldCalls: [string, Held][] = [
  ['createTransaction', { request: () => ['POST', '/api/transactions', large], event: 'payment.approved' }],
  [
    'updateTransaction',
    {
      prepare: both => world.enter(both, { status: 'pending' }),
      request: id => ['PUT', `/api/transactions/${id}`, { status: 'approved' }],
      event: 'payment.approved',
    },
  ],
  [
    'deleteTransaction',
    {
      prepare: both => world.enter(both, {}),
      request: id => ['DELETE', `/api/transactions/${id}`],
      event: 'transaction.deleted',
    },
  ],
  [
    'createSettlement',
    {
      prepare: async both => {
        const id = await world.settleable(both)
        await world.mature(both)
        return id
      },
      request: () => ['POST', '/api/settlements', period()],
      event: 'settlement.created',
    },
  ],
  [
    'updateSettlement',
    {
      prepare: async both => {
        await world.settleable(both)
        return world.approved(both, 'POST', '/api/settlements', period())
      },
      request: id => ['PUT', `/api/settlements/${id}`, { status: 'paid', reference: 'SPEI 1' }],
      event: 'settlement.paid',
    },
  ],
  ['createFeeRule', { request: () => ['POST', '/api/fee-rules', { name: 'Tarifa' }], event: 'fee_rule.created' }],
  [
    'updateFeeRule',
    {
      prepare: both => world.approved(both, 'POST', '/api/fee-rules', { name: 'Tarifa' }),
      request: id => ['PUT', `/api/fee-rules/${id}`, { percent_bps: 290 }],
      event: 'fee_rule.updated',
    },
  ],
  [
    'deleteFeeRule',
    {
      prepare: both => world.approved(both, 'POST', '/api/fee-rules', { name: 'Tarifa' }),
      request: id => ['DELETE', `/api/fee-rules/${id}`],
      event: 'fee_rule.deleted',
    },
  ],
  [
    'createRollingReserve',
    { request: () => ['POST', '/api/rolling-reserve', reserve], event: 'rolling_reserve.created' },
  ],
  [
    'updateRollingReserve',
    {
      prepare: both => world.approved(both, 'POST', '/api/rolling-reserve', reserve),
      request: id => ['PUT', `/api/rolling-reserve/${id}`, { hold_days: 31 }],
      event: 'rolling_reserve.updated',
    },
  ],
  [
    'deleteRollingReserve',
    {
      prepare: both => world.approved(both, 'POST', '/api/rolling-reserve', reserve),
      request: id => ['DELETE', `/api/rolling-reserve/${id}`],
      event: 'rolling_reserve.deleted',
    },
  ],
]

test.each(heldCalls)('%s changes nothing until a second operator approves it', async (operation, one) => {
  const both = operators()
  const { ana, luis, merchant_id } = both
  const id = (await one.prepare?.(both)) ?? ''
  const before = await world.rowsOf(merchant_id)
  const [method, path, body] = one.request(id)
  const pending = await world.held(ana, method, path, body)
  expect(pending).toMatchObject({ merchant_id, operation, requested_by: ana.id, body: body ?? null, target_id: null })
  expect(Date.parse(pending.lapses_at) - Date.parse(pending.created_at)).toBe(72 * hour)
  expect(await world.rowsOf(merchant_id)).toEqual(before)
  await waitFor(() => world.eventsOf(merchant_id).some(({ target_id }) => target_id === pending.id))
  const seen = world.eventsOf(merchant_id).length

  const { status, body: answer } = await world.decide(luis, pending.id, 'approve')
  expect([status, answer.error]).toEqual([200, undefined])
  const decided = { ...pending, status: 'approved', decided_by: luis.id, decided_at: expect.any(String) }
  expect(answer.data).toEqual({ ...decided, target_id: expect.any(String) })
  expect(await world.rowsOf(merchant_id)).not.toEqual(before)
  const news = await waitFor(() => {
    const since = world.eventsOf(merchant_id).slice(seen)
    return since.some(({ name }) => name === 'approval.approved') && since
  })
  const change = news.find(({ name }) => name === one.event)
  const approval = news.find(({ name }) => name === 'approval.approved')
  // The change and its approval are of the same call, and name each other by it.
  expect([change?.target_id, change?.actor, change?.request_id]).toEqual([
    answer.data.target_id,
    { type: 'operator', id: luis.id },
    approval?.request_id,
  ])
  expect(approval?.data).toMatchObject({ operation, requested_by: ana.id, target_id: answer.data.target_id })
  expect((await world.decide(luis, pending.id, 'approve')).status).toBe(409)
  expect((await world.decide(luis, pending.id, 'reject')).status).toBe(409)
  expect(await checkLedger(world.db)).toMatchObject({ ok: true })
})

test.each([
  ['a transaction', 'POST', '/api/transactions', sale],
  ['a pending transaction', 'POST', '/api/transactions', { ...sale, status: 'pending' }],
] as const)('%s up to the limit needs no approval', async (_what, method, path, body) => {
  const { ana } = operators()
  const { status, body: answer } = await world.call(ana, method, path, body)
  expect([status, answer.data.amount_cents]).toEqual([201, limitCents])
  expect((await world.call(ana, 'DELETE', `${path}/${answer.data.id}`)).status).toBe(200)
})

test('what moves no money out needs no approval: a cancelled transaction, a failed or deleted settlement, a reference', async () => {
  const both = operators()
  const { ana } = both
  const pending = await world.enter(both, { status: 'pending' })
  expect((await world.call(ana, 'PUT', `/api/transactions/${pending}`, { reference: 'A-1' })).status).toBe(200)
  expect((await world.call(ana, 'PUT', `/api/transactions/${pending}`, { status: 'cancelled' })).status).toBe(200)
  await world.settleable(both)
  const first = await world.approved(both, 'POST', '/api/settlements', period())
  expect((await world.call(ana, 'PUT', `/api/settlements/${first}`, { reference: 'SPEI 1' })).status).toBe(200)
  expect((await world.call(ana, 'PUT', `/api/settlements/${first}`, { status: 'failed' })).status).toBe(200)
  const second = await world.approved(both, 'POST', '/api/settlements', period())
  expect((await world.call(ana, 'DELETE', `/api/settlements/${second}`)).status).toBe(200)
})

test('a held settlement has its net as the amount', async () => {
  const both = operators()
  await world.settleable(both)
  const pending = await world.held(both.ana, 'POST', '/api/settlements', period())
  expect(pending).toMatchObject({ amount_cents: limitCents + 1, currency: 'MXN' })
})

test('a call that would fail is rejected at once, without an approval', async () => {
  const { ana, merchant_id } = operators()
  const answers = [
    await world.call(ana, 'POST', '/api/fee-rules', {}),
    await world.call(ana, 'POST', '/api/transactions', { ...large, currency: 'EUR' }),
    await world.call(ana, 'PUT', `/api/fee-rules/${newId('fee')}`, { priority: 1 }),
    await world.call(clientCaller(merchant_id), 'POST', '/api/fee-rules', { name: 'Tarifa' }),
    await world.call(keyCaller(merchant_id), 'POST', '/api/transactions', large),
    await world.call(ana, 'POST', '/api/settlements', period()),
  ]
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 404, 403, 403, 409])
  expect((await world.call(ana, 'GET', '/api/approvals')).body.count).toBe(0)
})
