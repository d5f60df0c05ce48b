import type { Caller } from '@cobro/contracts'
import { waitFor } from '@cobro/testing'
import { checkLedger } from '../src/ledger-check/check-ledger.ts'
import { type DualControl, dualControlFixture, large, operators, period, reserve } from './dual-control-fixture.ts'

let world: DualControl
beforeAll(async () => {
  world = await dualControlFixture()
})
afterAll(() => world.stop())

/** Approves fifty times at once. Returns how many answers have each status. */
async function statusesOfFifty(caller: Caller, id: string) {
  const answers = await Promise.all(Array.from({ length: 50 }, () => world.decide(caller, id, 'approve')))
  return Object.fromEntries([...Map.groupBy(answers, one => one.status)].map(([status, all]) => [status, all.length]))
}

test('fifty approvals at once carry out the call once', async () => {
  const { ana, luis, merchant_id } = operators()
  const { id } = await world.held(ana, 'POST', '/api/transactions', large)
  expect(await statusesOfFifty(luis, id)).toEqual({ 200: 1, 409: 49 })
  const [transactions] = await world.rowsOf(merchant_id)
  expect(transactions).toHaveLength(1)
  await waitFor(() => world.eventsOf(merchant_id).some(({ name }) => name === 'approval.approved'))
  expect(world.eventsOf(merchant_id).map(({ name }) => name)).toEqual([
    'approval.requested',
    'payment.approved',
    'approval.approved',
  ])
})

test('fifty approvals at once make one settlement', async () => {
  const both = operators()
  await world.settleable(both)
  const { id } = await world.held(both.ana, 'POST', '/api/settlements', period())
  expect(await statusesOfFifty(both.luis, id)).toEqual({ 200: 1, 409: 49 })
  expect((await world.rowsOf(both.merchant_id))[3]).toHaveLength(1)
  expect(await checkLedger(world.db)).toMatchObject({ ok: true })
})

test('approvals that have to wait leave connections to other calls', async () => {
  const all: { luis: Caller; id: string }[] = []
  // More than the service has connections.
  for (let i = 0; i < 20; i++) {
    const { ana, luis } = operators()
    const { id } = await world.held(ana, 'POST', '/api/rolling-reserve', reserve)
    all.push({ luis, id })
  }
  const { query } = world.service.database
  const waiting = () =>
    query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
  const { approvals, read } = await world.db.write(async tx => {
    await tx.execute('lock table transactions.rolling_reserves in exclusive mode')
    const approvals = all.map(({ luis, id }) => world.decide(luis, id, 'approve'))
    await waitFor(async () => (await waiting()).length >= 4)
    return { approvals, read: await world.call(operators().ana, 'GET', '/api/transactions') }
  })
  expect(read.status).toBe(200)
  expect((await Promise.all(approvals)).map(({ status }) => status)).toEqual(all.map(() => 200))
})

test('an approval and a rejection at once have one outcome', async () => {
  const { ana, luis, merchant_id } = operators()
  for (let round = 0; round < 5; round++) {
    const { id } = await world.held(ana, 'POST', '/api/fee-rules', { name: `Tarifa ${round}` })
    const answers = await Promise.all([world.decide(luis, id, 'approve'), world.decide(luis, id, 'reject')])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const { status } = (await world.call(luis, 'GET', `/api/approvals/${id}`)).body.data
    const [, rules] = await world.rowsOf(merchant_id)
    expect(rules?.some(({ name }) => name === `Tarifa ${round}`)).toBe(status === 'approved')
  }
})
