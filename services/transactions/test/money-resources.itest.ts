import {
  balanceSnapshots,
  type Caller,
  disputes,
  feeRules,
  type Id,
  newId,
  rollingReserves,
  settlementConfigs,
  settlements,
} from '@cobro/contracts'
import { type Database, openDatabase } from '@cobro/database'
import { clientCaller, keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { describeCrud, type EventTap, tapEvents, waitFor } from '@cobro/testing'
import { entities } from '../src/entities.ts'
import { addDays, dayOf } from '../src/time/utc-days.ts'
import { paymentRow } from './payment-row.ts'
import { serviceCalls } from './service-calls.ts'
import { transactionsUnderTest } from './transactions-service.ts'

let service: Awaited<ReturnType<typeof transactionsUnderTest>>
let db: Database
let tap: EventTap
beforeAll(async () => {
  // These tests don't call the acquirer.
  service = await transactionsUnderTest('http://127.0.0.1:9')
  tap = await tapEvents({ url: service.amqpUrl, namespace: service.namespace })
  db = openDatabase({ url: service.database.url('transactions'), schema: 'transactions', entities })
})
afterAll(async () => {
  await tap.close()
  await db.close()
  await service.stop()
})

describeCrud(feeRules, {
  sample: {
    create: () => ({ name: 'Tarjetas', rail: 'online_cnp', percent_bps: 360, tax_bps: 1600, priority: 3 }),
    update: { name: 'Tarjetas en línea', rail: null, max_fee_cents: 5_000, valid_to: '2030-01-01T00:00:00.000Z' },
    textField: 'name',
  },
  writers: 'operators',
  service: () => service,
})

let today: string
beforeEach(() => {
  today = dayOf(new Date())
})
const operatorsWrite = { writers: 'operators', service: () => service } as const

describeCrud(rollingReserves, {
  // Only one may be active.
  sample: {
    create: () => ({ percent_bps: 100, hold_days: 30, active: false }),
    update: { percent_bps: 200, hold_days: 31 },
  },
  ...operatorsWrite,
})

describeCrud(settlementConfigs, {
  sample: {
    create: () => ({ frequency: 'daily', active: false }),
    update: { frequency: 'weekly', weekday: 5, delay_days: 2, minimum_cents: 100 },
  },
  ...operatorsWrite,
})

describeCrud(balanceSnapshots, {
  sample: { create: () => ({ note: 'Cierre' }), update: { note: 'Cierre del mes' }, textField: 'note' },
  ...operatorsWrite,
})

describeCrud(settlements, {
  sample: {
    create: async merchant_id => {
      const captured_at = new Date(addDays(today, -3))
      await paymentRow(db, { merchant_id, captured_at })
      return { period_start: dayOf(captured_at), period_end: today, reference: 'SPEI 1' }
    },
    update: { reference: 'SPEI 2' },
    textField: 'reference',
  },
  ...operatorsWrite,
})

describeCrud(disputes, {
  sample: {
    create: async merchant_id => {
      const { id } = await paymentRow(db, { merchant_id })
      return { transaction_id: id, reason: 'fraudulent' }
    },
    update: { reason: 'duplicate', network_reason_code: '12.6', due_by: '2036-01-01T00:00:00.000Z' },
    textField: 'reason',
  },
  ...operatorsWrite,
})

const call = serviceCalls(() => service)
/** A merchant's API key, and an operator that acts for the merchant. */
const parties = () => {
  const merchant = newId('mrc')
  return { merchant, key: keyCaller(merchant), operator: operatorCaller('all', merchant) }
}
const captured = async (merchant_id: Id<'mrc'>, amount_cents = 25_000) =>
  (await paymentRow(db, { merchant_id, amount_cents })).id
const period = () => ({ period_start: today, period_end: today })
const clabe = '032180000118359719'

test.each([
  [{ min_fee_cents: 5, max_fee_cents: 4 }, 'min_fee_cents'],
  [{ valid_from: '2026-01-02T00:00:00.000Z', valid_to: '2026-01-01T00:00:00.000Z' }, 'valid_from'],
])('a fee rule with contradicting bounds is rejected on creation and update: %o', async (bounds, field) => {
  const { operator } = parties()
  const refused = await call(operator, 'POST', '/api/fee-rules', { name: 'A', ...bounds })
  expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining(`${field}: expected`)])
  const [[first, low] = [], [second, high] = []] = Object.entries(bounds)
  const { body } = await call(operator, 'POST', '/api/fee-rules', { name: 'A', [`${first}`]: low })
  expect((await call(operator, 'PUT', `/api/fee-rules/${body.data.id}`, { [`${second}`]: high })).status).toBe(400)
})

test.each([feeRules, rollingReserves, balanceSnapshots])('a merchant may read but not write $path', async resource => {
  const { key } = parties()
  expect((await call(key, 'GET', resource.path)).status).toBe(200)
  expect((await call(key, 'POST', resource.path, {})).status).toBe(403)
  expect((await call(key, 'PUT', `${resource.path}/${newId(resource.prefix)}`, {})).status).toBe(403)
  expect((await call(key, 'DELETE', `${resource.path}/${newId(resource.prefix)}`)).status).toBe(403)
})

test('a rolling reserve returns its held amount, and only one per currency is active', async () => {
  const { merchant, key, operator } = parties()
  const created = await call(operator, 'POST', '/api/rolling-reserve', { percent_bps: 1_000, hold_days: 90 })
  expect([created.status, created.body.data]).toMatchObject([201, { currency: 'MXN', active: true, held_cents: 0 }])
  await captured(merchant)
  await captured(merchant, 5)
  const { body } = await call(key, 'GET', `/api/rolling-reserve/${created.body.data.id}`)
  expect(body.data.held_cents).toBe(2_501)
  expect((await call(key, 'GET', '/api/rolling-reserve')).body.data).toEqual([body.data])
  const second = await call(operator, 'POST', '/api/rolling-reserve', { percent_bps: 1, hold_days: 1 })
  expect([second.status, second.body.error]).toEqual([409, expect.stringContaining('another rolling reserve')])
  const others = [{ active: false }, { currency: 'USD' }]
  for (const other of others)
    expect(
      (await call(operator, 'POST', '/api/rolling-reserve', { percent_bps: 1, hold_days: 1, ...other })).status,
    ).toBe(201)
})

test('a held amount is counted once, for the rolling reserve that holds it', async () => {
  const { merchant, key, operator } = parties()
  const path = '/api/rolling-reserve'
  const first = (await call(operator, 'POST', path, { percent_bps: 1_000, hold_days: 90 })).body.data
  await captured(merchant)
  await call(operator, 'PUT', `${path}/${first.id}`, { active: false })
  const second = (await call(operator, 'POST', path, { percent_bps: 2_000, hold_days: 90 })).body.data
  await captured(merchant)
  await call(operator, 'POST', path, { percent_bps: 1, hold_days: 1, active: false })
  const { data } = (await call(key, 'GET', `${path}?order=created_at&dir=asc`)).body
  expect(data.map((row: { held_cents: number }) => row.held_cents)).toEqual([2_500, 5_000, 0])
  const changed = await call(operator, 'PUT', `${path}/${second.id}`, { hold_days: 30 })
  expect(changed.body.data.held_cents).toBe(5_000)
})

test('a bank account is validated and returned masked, and is all that a merchant may change of its settlement configuration', async () => {
  const { merchant, key, operator } = parties()
  const client = clientCaller(merchant)
  const bank = { clabe, holder: 'Café Azul SA de CV', bank_name: 'IXE' }
  const wrong = { frequency: 'daily', bank: { ...bank, clabe: '032180000118359718' } }
  expect((await call(operator, 'POST', '/api/settlement-config', wrong)).body.error).toContain('check digit')
  const created = await call(operator, 'POST', '/api/settlement-config', { frequency: 'daily', bank })
  expect([created.status, created.body.data]).toMatchObject([
    201,
    { delay_days: 1, minimum_cents: 0, weekday: null, bank: { ...bank, clabe: '**************9719' } },
  ])
  const path = `/api/settlement-config/${created.body.data.id}`
  const changed = await call(client, 'PUT', path, { bank: { clabe: '002010077777777771', holder: 'Ana' } })
  expect([changed.status, changed.body.data.bank]).toEqual([
    200,
    { clabe: '**************7771', holder: 'Ana', bank_name: null },
  ])
  for (const change of [{ delay_days: 0 }, { bank: null, active: false }])
    expect((await call(client, 'PUT', path, change)).status).toBe(403)
  for (const stranger of [key, keyCaller(), clientCaller()])
    expect((await call(stranger, 'PUT', path, { bank: null })).status).toBe(403)
  expect(JSON.stringify((await call(key, 'GET', '/api/settlement-config')).body)).not.toContain('0020100777777')
  const unmasked = await service.database.query(
    "select 1 from transactions.outbox where convert_from(body, 'utf8') ~ '(0321800001183|0020100777777)'",
  )
  expect(unmasked).toEqual([])
})

test('update events of money resources contain old and new values, and no event is emitted without a change', async () => {
  const { merchant, key, operator } = parties()
  const createdRow = async (path: string, body: object) => {
    const { id } = (await call(operator, 'POST', path, body)).body.data
    return `${path}/${id}`
  }
  const bank = { clabe: '032180000118359719', holder: 'Café Azul', bank_name: null }
  const rule = await createdRow('/api/fee-rules', {
    name: 'Tarjetas',
    percent_bps: 360,
    valid_to: '2030-01-01T00:00:00.000Z',
  })
  const config = await createdRow('/api/settlement-config', { frequency: 'daily', bank })
  const reserve = await createdRow('/api/rolling-reserve', { percent_bps: 100, hold_days: 30 })
  await captured(merchant)
  await call(operator, 'PUT', config, { delay_days: 0 })
  const settlement = await createdRow('/api/settlements', period())

  const before = (await call(key, 'GET', rule)).body.data
  for (const same of [{}, { percent_bps: 360 }, { valid_to: '2030-01-01T00:00:00.000Z', name: 'Tarjetas' }])
    expect((await call(operator, 'PUT', rule, same)).body.data).toEqual(before)
  for (const [path, same] of [
    [config, { bank }],
    [reserve, {}],
    [settlement, {}],
    [settlement, { reference: null }],
  ] as const)
    expect((await call(operator, 'PUT', path, same)).status).toBe(200)
  await call(operator, 'PUT', rule, { percent_bps: 0, valid_to: null, name: 'Tarjetas' })
  await call(clientCaller(merchant), 'PUT', config, { bank: { clabe: '002010077777777771', holder: 'Ana' } })
  await call(operator, 'PUT', reserve, { hold_days: 1 })
  await call(operator, 'PUT', settlement, { reference: 'SPEI 7' })
  // The call that marks the settlement as paid emits the update too.
  await call(operator, 'PUT', settlement, { reference: 'SPEI 8', status: 'paid' })
  const dispute = await createdRow('/api/disputes', { transaction_id: await captured(merchant), reason: 'fraudulent' })
  const evidence = { receipt: 'Ticket 5' }
  await call(operator, 'PUT', dispute, { status: 'under_review', due_by: '2030-01-01T00:00:00.000Z', evidence })

  const updates = () =>
    tap.messages.filter(({ name, merchant_id }) => merchant_id === merchant && name.endsWith('.updated'))
  await waitFor(() => updates().length >= 7)
  const masked = { ...bank, clabe: '**************9719' }
  expect(updates().map(({ name, data }) => [name, data.changes])).toEqual([
    ['settlement_config.updated', { delay_days: { from: 1, to: 0 } }],
    [
      'fee_rule.updated',
      { percent_bps: { from: 360, to: 0 }, valid_to: { from: '2030-01-01T00:00:00.000Z', to: null } },
    ],
    [
      'settlement_config.updated',
      { bank: { from: masked, to: { clabe: '**************7771', holder: 'Ana', bank_name: null } } },
    ],
    ['rolling_reserve.updated', { hold_days: { from: 30, to: 1 } }],
    ['settlement.updated', { reference: { from: null, to: 'SPEI 7' } }],
    ['settlement.updated', { reference: { from: 'SPEI 7', to: 'SPEI 8' } }],
    ['dispute.updated', { due_by: { from: null, to: '2030-01-01T00:00:00.000Z' } }],
  ])
})

test('a weekly settlement configuration requires a weekday and a monthly one a day, also after an update', async () => {
  const { operator } = parties()
  const path = '/api/settlement-config'
  for (const frequency of ['weekly', 'monthly'])
    expect((await call(operator, 'POST', path, { frequency })).body.error).toContain('weekly needs weekday')
  const { body } = await call(operator, 'POST', path, { frequency: 'weekly', weekday: 5 })
  expect((await call(operator, 'PUT', `${path}/${body.data.id}`, { weekday: null })).status).toBe(400)
  expect((await call(operator, 'POST', path, { frequency: 'daily' })).status).toBe(409)
  expect(Object.values(settlementConfigs.operations)).toHaveLength(5)
})

test('a settlement is created for a period, paid once, and then final', async () => {
  const { merchant, key, operator } = parties()
  await call(operator, 'POST', '/api/settlement-config', { frequency: 'daily', delay_days: 0 })
  const empty = await call(operator, 'POST', '/api/settlements', period())
  expect([empty.status, empty.body.error]).toEqual([409, expect.stringContaining('nothing to pay out')])
  await captured(merchant)
  await captured(merchant, 100)
  const created = await call(operator, 'POST', '/api/settlements', { ...period(), reference: 'SPEI 1' })
  expect([created.status, created.body.data]).toMatchObject([
    201,
    {
      ...period(),
      status: 'pending',
      net_cents: 25_100,
      gross_cents: 25_100,
      transaction_count: 2,
      reference: 'SPEI 1',
    },
  ])
  const path = `/api/settlements/${created.body.data.id}`
  expect((await call(key, 'PUT', path, { status: 'paid' })).status).toBe(403)
  const paid = await call(operator, 'PUT', path, { status: 'paid', reference: 'SPEI 2' })
  expect(paid.body.data).toMatchObject({ status: 'paid', reference: 'SPEI 2', paid_at: expect.stringMatching(/Z$/) })
  for (const status of ['paid', 'failed']) expect((await call(operator, 'PUT', path, { status })).status).toBe(409)
  expect((await call(operator, 'DELETE', path)).status).toBe(409)
  expect((await call(key, 'GET', path)).body.data).toEqual(paid.body.data)
  expect((await call(keyCaller(), 'GET', path)).status).toBe(403)
  expect((await call(key, 'GET', '/api/settlements?status=paid')).body.count).toBe(1)
})

test('every payment is paid out once even when settlement periods overlap', async () => {
  const { merchant, operator } = parties()
  await call(operator, 'POST', '/api/settlement-config', { frequency: 'daily', delay_days: 0 })
  const settle = (given: object) => call(operator, 'POST', '/api/settlements', { ...period(), ...given })
  await captured(merchant, 100)
  const first = await settle({})
  await captured(merchant, 20)
  const wider = await settle({ period_start: addDays(today, -30) })
  expect([first.body.data, wider.body.data]).toMatchObject([
    { net_cents: 100, transaction_count: 1 },
    { net_cents: 20, transaction_count: 1, period_start: addDays(today, -30) },
  ])
  // A period that ended earlier does not include what was captured today.
  await captured(merchant, 3)
  const earlier = await settle({ period_start: addDays(today, -30), period_end: addDays(today, -1) })
  expect([earlier.status, earlier.body.error]).toEqual([409, 'conflict: there is nothing to pay out: the net is 0'])
  // The next settlement collects the entries of the failed one.
  await call(operator, 'PUT', `/api/settlements/${first.body.data.id}`, { status: 'failed' })
  expect((await settle({})).body.data).toMatchObject({ net_cents: 103, transaction_count: 2 })
})

test('twenty concurrent requests to settle one period create one settlement', async () => {
  const { merchant, operator } = parties()
  await call(operator, 'POST', '/api/settlement-config', { frequency: 'daily', delay_days: 0 })
  for (let i = 0; i < 5; i++) await captured(merchant)
  const settle = () => call(operator, 'POST', '/api/settlements', period())
  const statuses = (await Promise.all(Array.from({ length: 20 }, settle))).map(answer => answer.status)
  expect(statuses.toSorted()).toEqual([201, ...Array(19).fill(409)])
})

test('a deleted settlement is no longer returned, and its money can be settled again', async () => {
  const { merchant, operator } = parties()
  await call(operator, 'POST', '/api/settlement-config', { frequency: 'daily', delay_days: 0 })
  await captured(merchant)
  const { body } = await call(operator, 'POST', '/api/settlements', period())
  const path = `/api/settlements/${body.data.id}`
  expect((await call(operator, 'DELETE', path)).body).toEqual({ data: { id: body.data.id, deleted: true } })
  for (const method of ['GET', 'DELETE']) expect((await call(operator, method, path)).status).toBe(404)
  expect((await call(operator, 'GET', '/api/settlements')).body.count).toBe(0)
  expect((await call(operator, 'POST', '/api/settlements', period())).status).toBe(201)
})

test.each([
  [{ period_start: '2026-02-02', period_end: '2026-02-01' }, 'period_start'],
  [{ period_start: '2026-02-30', period_end: '2026-03-01' }, 'period_start'],
  [{ period_start: '2026-02-01', period_end: '2999-01-01' }, 'period_end'],
])('a settlement for %o is rejected', async (given, field) => {
  const answer = await call(parties().operator, 'POST', '/api/settlements', given)
  expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(field)])
})

test('a balance snapshot contains the current balances, and only its note can be changed', async () => {
  const { merchant, key, operator } = parties()
  await call(operator, 'POST', '/api/rolling-reserve', { percent_bps: 1_000, hold_days: 90 })
  await captured(merchant)
  const created = await call(operator, 'POST', '/api/balance-snapshots', { note: 'Auditoría' })
  expect([created.status, created.body.data]).toMatchObject([
    201,
    { currency: 'MXN', available_cents: 0, pending_cents: 22_500, reserved_cents: 2_500, disputed_cents: 0 },
  ])
  const path = `/api/balance-snapshots/${created.body.data.id}`
  expect((await call(operator, 'PUT', path, { note: null })).body.data).toMatchObject({
    note: null,
    pending_cents: 22_500,
  })
  expect((await call(operator, 'PUT', path, { pending_cents: 1 })).status).toBe(400)
  expect((await call(key, 'GET', path)).body.data.reserved_cents).toBe(2_500)
  expect((await call(operator, 'DELETE', path)).status).toBe(200)
})

test('the ledger check of an operator covers only its own merchants', async () => {
  const { merchant, key } = parties()
  const id = await captured(merchant)
  const check = async (caller: Caller) => (await call(caller, 'GET', '/api/ledger/check')).body.data
  expect(await check(operatorCaller([merchant]))).toEqual({ ok: true, entries: 1, transactions: 1, first_fault: null })
  expect(await check(operatorCaller('all'))).toMatchObject({ ok: true })
  expect((await call(key, 'GET', '/api/ledger/check')).status).toBe(403)
  const pending = (cents: number) =>
    db.read(em =>
      em.execute('update transactions.ledger_positions set pending_cents = ? where transaction_id = ?', [cents, id]),
    )
  await pending(1)
  expect(await check(operatorCaller([merchant]))).toMatchObject({ ok: false, first_fault: { kind: 'position', id } })
  expect(await check(operatorCaller([newId('mrc')]))).toEqual({
    ok: true,
    entries: 0,
    transactions: 0,
    first_fault: null,
  })
  await pending(25_000)
})

test.each([
  ['/api/transactions', { rail: 'online_cnp', payment_method: 'card', amount_cents: 100 }],
  ['/api/fee-rules', { name: 'A' }],
  ['/api/rolling-reserve', { percent_bps: 1, hold_days: 1 }],
  ['/api/settlement-config', { frequency: 'daily' }],
  ['/api/balance-snapshots', {}],
])('%s rejects a currency that the deployment does not accept', async (path, body) => {
  const { operator } = parties()
  const refused = await call(operator, 'POST', path, { ...body, currency: 'EUR' })
  expect([refused.status, refused.body.error]).toEqual([400, 'invalid_request: currency: expected one of MXN, USD'])
  expect((await call(operator, 'GET', path)).body.count).toBe(0)
  const { status, body: created } = await call(operator, 'POST', path, { ...body, currency: 'USD' })
  expect(status).toBe(201)
  if (path === '/api/transactions' || path === '/api/balance-snapshots') return
  expect((await call(operator, 'PUT', `${path}/${created.data.id}`, { currency: 'EUR' })).status).toBe(400)
})

test('lists of rolling reserves and settlement configurations support search', async () => {
  const { operator } = parties()
  const reserve = { percent_bps: 1_000, hold_days: 30, currency: 'USD' }
  const created = {
    'rolling-reserve': (await call(operator, 'POST', '/api/rolling-reserve', reserve)).body.data,
    'settlement-config': (await call(operator, 'POST', '/api/settlement-config', { frequency: 'daily' })).body.data,
  }
  const count = async (path: string, search: string) =>
    (await call(operator, 'GET', `/api/${path}?search=${search}`)).body.count
  for (const [path, { id, currency }] of Object.entries(created))
    for (const [search, found] of [
      [id, 1],
      [currency.toLowerCase(), 1],
      ['nothing', 0],
    ] as const)
      expect([path, search, await count(path, search)]).toEqual([path, search, found])
})
