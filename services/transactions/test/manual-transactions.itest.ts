import { newId } from '@cobro/contracts'
import { type Database, openDatabase } from '@cobro/database'
import { keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { type EventTap, tapEvents, waitFor } from '@cobro/testing'
import { entities } from '../src/entities.ts'
import { LedgerPositionEntity } from '../src/ledger/ledger-entities.ts'
import { checkLedger } from '../src/ledger-check/check-ledger.ts'
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
  db = openDatabase({ url: service.database.url('transactions'), schema: 'transactions', entities })
  tap = await tapEvents({ url: service.amqpUrl, namespace: service.namespace })
})
afterAll(async () => {
  const checked = await checkLedger(db)
  await db.close()
  await tap.close()
  await service.stop()
  expect(checked).toMatchObject({ ok: true, first_fault: null })
})

const call = serviceCalls(() => service)
const cardPayment = { rail: 'online_cnp', payment_method: 'card', amount_cents: 25_000 }
const path = '/api/transactions'
let today: string
beforeEach(() => {
  today = dayOf(new Date())
})

function parties() {
  const merchant = newId('mrc')
  const operator = operatorCaller('all', merchant)
  const enter = (change: object = {}) => call(operator, 'POST', path, { ...cardPayment, ...change })
  return { merchant, operator, key: keyCaller(merchant), enter }
}
const eventsOf = (row: { correlation_id: string }, count: number) =>
  waitFor(() => {
    const names = tap.names(row.correlation_id)
    return names.length >= count ? names : undefined
  })

test('a manual transaction posts its fee and emits the same events as any other', async () => {
  const { merchant, operator, key, enter } = parties()
  await call(operator, 'POST', '/api/fee-rules', { name: 'Caja', percent_bps: 360, tax_bps: 1600 })
  const input = {
    ...{
      reference: 'A-1',
      order_id: 'O-1',
      payer_email: 'ana@example.com',
      customer_ref: 'C-1',
      metadata: { plan: 'gold' },
    },
    ...{ card: { brand: 'visa', last4: '4242' }, captured_at: `${addDays(today, -2)}T10:00:00.000Z` },
  }
  const created = await enter(input)
  expect([created.status, created.body.data]).toMatchObject([
    201,
    {
      ...cardPayment,
      ...input,
      merchant_id: merchant,
      currency: 'MXN',
      status: 'approved',
      fee_cents: 1_044,
      type: 'payment',
    },
  ])
  expect((await call(key, 'GET', `${path}/${created.body.data.id}`)).body.data).toEqual(created.body.data)
  const read = await call(operatorCaller('all', merchant), 'GET', `${path}/${created.body.data.id}`)
  expect(read.body.data).toEqual({
    ...created.body.data,
    fee_parts: expect.objectContaining({ percent_bps: 360, tax_bps: 1600, fee_cents: 900, tax_cents: 144 }),
  })
  expect(await eventsOf(created.body.data, 1)).toEqual(['payment.approved'])
  const position = await db.read(em => em.findOne(LedgerPositionEntity, { transaction_id: created.body.data.id }))
  expect(position).toMatchObject({ pending_cents: 23_956n, captured_on: addDays(today, -2) })
})

test.each([
  [{ rail: 'inperson_cp' }, 'terminal_id: required'],
  [{ status: 'pending', captured_at: '2026-01-01T00:00:00.000Z' }, 'captured_at: expected for an approved'],
  [{ captured_at: '2999-01-01T00:00:00.000Z' }, 'captured_at: expected a time that has passed'],
  [{ card: { brand: 'visa', last4: '42424' } }, 'card.last4'],
  [{ card: { brand: 'visa', number: '4242424242424242' } }, 'card numbers are not accepted'],
  [{ metadata: { note: '4242 4242 4242 4242' } }, 'card numbers are not accepted'],
  [{ status: 'declined' }, 'status'],
  [{ fee_cents: 1 }, 'fee_cents: unknown field'],
  [{ amount_cents: 0 }, 'amount_cents'],
])('a manual transaction with %o is rejected', async (change, error) => {
  const answer = await parties().enter(change)
  expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(error)])
})

test('a manual transaction may name only a terminal of its own merchant', async () => {
  const { operator, enter } = parties()
  const terminal = await call(operator, 'POST', '/api/terminales', { name: 'Caja', serial: 'SN-M' })
  const inPerson = { rail: 'inperson_cp', terminal_id: terminal.body.data.id }
  expect((await enter(inPerson)).body.data).toMatchObject(inPerson)
  expect((await parties().enter(inPerson)).status).toBe(403)
  expect((await enter({ ...inPerson, terminal_id: newId('trm') })).status).toBe(404)
})

test('an operator approves or cancels a pending manual transaction once', async () => {
  const { key, operator, enter } = parties()
  const { data } = (await enter({ status: 'pending' })).body
  expect(data).toMatchObject({ status: 'pending', captured_at: null })
  expect((await call(key, 'PUT', `${path}/${data.id}`, { status: 'approved' })).status).toBe(403)
  const approved = await call(operator, 'PUT', `${path}/${data.id}`, { status: 'approved' })
  expect(approved.body.data).toMatchObject({ status: 'approved', captured_at: expect.stringMatching(/Z$/) })
  for (const status of ['cancelled', 'approved'])
    expect((await call(operator, 'PUT', `${path}/${data.id}`, { status })).status).toBe(409)
  const same = await call(operator, 'PUT', `${path}/${data.id}`, { reference: approved.body.data.reference })
  expect(same.body.data).toEqual(approved.body.data)
  expect(await eventsOf(data, 2)).toEqual(['payment.pending', 'payment.approved'])

  const other = (await enter({ status: 'pending' })).body.data
  expect((await call(operator, 'PUT', `${path}/${other.id}`, { status: 'cancelled' })).body.data.status).toBe(
    'cancelled',
  )
  expect(await eventsOf(other, 2)).toEqual(['payment.pending', 'payment.cancelled'])
})

test('an operator does not decide how a transaction of the acquirer ends', async () => {
  const { merchant, operator } = parties()
  const row = await paymentRow(db, { merchant_id: merchant, status: 'pending', captured_at: null })
  const answer = await call(operator, 'PUT', `${path}/${row.id}`, { status: 'approved' })
  expect([answer.status, answer.body.error]).toEqual([409, 'conflict: the acquirer says how this transaction ends'])
})

test('a merchant may edit only the descriptive fields of a transaction', async () => {
  const { key, enter } = parties()
  const { data } = (await enter({ reference: 'A-1', metadata: { a: 1, b: 2 } })).body
  const change = { reference: null, order_id: 'O-9', metadata: { c: 3 } }
  const edited = await call(key, 'PUT', `${path}/${data.id}`, change)
  expect([edited.status, edited.body.data]).toEqual([
    200,
    { ...data, ...change, updated_at: edited.body.data.updated_at },
  ])
  for (const field of [{ amount_cents: 1 }, { merchant_id: newId('mrc') }, { refund_status: null }]) {
    const refused = await call(key, 'PUT', `${path}/${data.id}`, field)
    expect([refused.status, refused.body.error]).toEqual([
      400,
      `invalid_request: ${Object.keys(field)[0]}: cannot be edited`,
    ])
  }
  expect((await call(key, 'PUT', `${path}/${data.id}`, { colour: 'red' })).body.error).toContain(
    'colour: unknown field',
  )
  const both = await call(key, 'PUT', `${path}/${data.id}`, { amount_cents: 1, colour: 'red' })
  expect(both.body.error).toContain('amount_cents: unknown, or cannot be edited; colour: unknown, or cannot be edited')
  expect((await call(keyCaller(), 'PUT', `${path}/${data.id}`, change)).status).toBe(403)
})

test('fifty concurrent refunds of a manual transaction complete at once and only once', async () => {
  const { key, enter } = parties()
  const { data } = (await enter()).body
  const refunds = await Promise.all(Array.from({ length: 50 }, () => call(key, 'POST', `${path}/${data.id}/refund`)))
  expect(refunds.map(answer => answer.status).toSorted()).toEqual([202, ...Array(49).fill(409)])
  expect(refunds.find(answer => answer.status === 202)?.body.data).toMatchObject({
    ...{ status: 'refunded', refund_status: 'completed', refund_id: expect.stringMatching(/^rfd_/) },
    refunded_at: expect.stringMatching(/Z$/),
  })
  expect(await eventsOf(data, 3)).toEqual(['payment.approved', 'payment.refund_requested', 'payment.refunded'])
})

test.each([
  ['cash', { payment_method: 'cash' }, 'only a card payment'],
  ['a pending payment', { status: 'pending' }, 'the transaction is pending'],
])('a refund of %s is rejected', async (_what, change, error) => {
  const { key, enter } = parties()
  const answer = await call(key, 'POST', `${path}/${(await enter(change)).body.data.id}/refund`)
  expect([answer.status, answer.body.error]).toEqual([409, expect.stringContaining(error)])
})

test('an operator with the access support refunds up to the limit, and no more whatever it does', async () => {
  const { operator, enter } = parties()
  const support = { ...operator, access: 'support' }
  const refundOf = async (amount_cents: number, caller = support) => {
    const { id } = (await enter({ amount_cents })).body.data
    const { status, body } = await call(caller, 'POST', `${path}/${id}/refund`)
    return [status, body.error]
  }
  expect(await refundOf(100_000)).toEqual([202, undefined])
  const beyond = 'forbidden: the access support refunds up to 1000.00 MXN: ask an operator with the access finance'
  expect(await refundOf(100_001)).toEqual([403, beyond])
  expect(await refundOf(100_001, { ...operator, access: 'finance' })).toEqual([202, undefined])
  const { id } = (await enter()).body.data
  for (const [method, body] of [['PUT', { reference: 'mine' }] as const, ['DELETE', undefined] as const])
    expect((await call(support, method, `${path}/${id}`, body)).status).toBe(403)
})

test('a refund above a set amount needs a user who has just confirmed its login, and asks no API key', async () => {
  const { operator, key, enter } = parties()
  const secondsAgo = (seconds: number) => ({ ...operator, auth_time: Math.floor(Date.now() / 1000) - seconds })
  const refundOf = async (amount_cents: number, caller: Parameters<typeof call>[0]) => {
    const { id } = (await enter({ amount_cents })).body.data
    return (await call(caller, 'POST', `${path}/${id}/refund`)).body.error ?? 'refunded'
  }
  expect(await refundOf(1_000_001, secondsAgo(310))).toMatch(/^confirmation_required: /)
  expect(await refundOf(1_000_001, secondsAgo(290))).toBe('refunded')
  expect(await refundOf(1_000_000, secondsAgo(310))).toBe('refunded')
  expect(await refundOf(1_000_001, key)).toBe('refunded')
})

test('a refund may be requested only by the merchant of the payment and operators with access to it', async () => {
  const { enter, merchant } = parties()
  const { id } = (await enter()).body.data
  const refund = (caller: Parameters<typeof call>[0]) => call(caller, 'POST', `${path}/${id}/refund`)
  expect((await refund(keyCaller())).status).toBe(403)
  expect((await refund(operatorCaller('all', newId('mrc')))).status).toBe(403)
  expect((await refund(operatorCaller('all'))).status).toBe(400)
  expect((await refund(operatorCaller([merchant], merchant))).status).toBe(202)
})

test('a deleted manual transaction is no longer returned and leaves no balance in the ledger', async () => {
  const { operator, key, enter } = parties()
  await call(operator, 'POST', '/api/rolling-reserve', { percent_bps: 1_000, hold_days: 9 })
  const { id } = (await enter()).body.data
  expect((await call(key, 'DELETE', `${path}/${id}`)).status).toBe(403)
  expect((await call(operator, 'DELETE', `${path}/${id}`)).body).toEqual({ data: { id, deleted: true } })
  for (const [method, body] of [['GET'], ['DELETE'], ['PUT', { reference: 'x' }]] as const)
    expect((await call(operator, method, `${path}/${id}`, body)).status).toBe(404)
  expect((await call(key, 'GET', path)).body).toMatchObject({ data: [], count: 0 })
  const position = await db.read(em => em.findOne(LedgerPositionEntity, { transaction_id: id }))
  expect(position).toMatchObject({ pending_cents: 0n, reserve_cents: 0n, unsettled: false })
})

test('a manual transaction with a refund, a dispute or a settlement cannot be deleted', async () => {
  const { operator, enter } = parties()
  await call(operator, 'POST', '/api/settlement-config', { frequency: 'daily', delay_days: 0 })
  const ids = [
    (await enter()).body.data.id,
    (await enter()).body.data.id,
    (await enter({ amount_cents: 60_000 })).body.data.id,
  ]
  await call(operator, 'POST', `${path}/${ids[0]}/refund`)
  await call(operator, 'POST', '/api/disputes', { transaction_id: ids[1], reason: 'fraudulent' })
  const created = await call(operator, 'POST', '/api/settlements', { period_start: today, period_end: today })
  expect(created.body.data.net_cents).toBe(60_000)
  const errors = []
  for (const id of ids) errors.push((await call(operator, 'DELETE', `${path}/${id}`)).body.error)
  expect(errors).toEqual([
    'conflict: the transaction has a refund',
    'conflict: the transaction has a dispute',
    'conflict: the transaction has been settled',
  ])
})
