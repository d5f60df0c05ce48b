import { newId } from '@cobro/contracts'
import { type Database, lockRow, openDatabase } from '@cobro/database'
import { keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { createLogger } from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import { entities } from '../src/entities.ts'
import { LedgerPositionEntity } from '../src/ledger/ledger-entities.ts'
import { checkLedger } from '../src/ledger-check/check-ledger.ts'
import { resolveRefund } from '../src/refunds/resolve-refund.ts'
import { startRefund } from '../src/refunds/start-refund.ts'
import { TransactionEntity, type TransactionRow } from '../src/transactions/transaction-entity.ts'
import { notificationSender } from './notification-sender.ts'
import { paymentRow } from './payment-row.ts'
import { serviceCalls } from './service-calls.ts'
import { transactionsUnderTest } from './transactions-service.ts'

let acquirer: Awaited<ReturnType<typeof notificationSender>>
let service: Awaited<ReturnType<typeof transactionsUnderTest>>
let db: Database
beforeAll(async () => {
  acquirer = await notificationSender()
  service = await transactionsUnderTest(acquirer.url)
  db = openDatabase({ url: service.database.url('transactions'), schema: 'transactions', entities })
  // With the first notification the service loads the keys, and rejects it if that takes longer than three seconds.
  const { notify } = await disputable()
  await waitFor(async () => (await notify('won')) === 200)
})
afterAll(async () => {
  expect(await checkLedger(db)).toMatchObject({ ok: true, first_fault: null })
  await db.close()
  await service.stop()
  await acquirer.close()
})

const call = serviceCalls(() => service)
async function disputable(change: Partial<TransactionRow> = {}) {
  const merchant_id = newId('mrc')
  const row = await paymentRow(db, { merchant_id, ...change })
  const operator = operatorCaller('all', merchant_id)
  const open = (terms: object = {}) =>
    call(operator, 'POST', '/api/disputes', { transaction_id: row.id, reason: 'fraudulent', ...terms })
  const statusOf = async () => (await db.read(em => em.findOne(TransactionEntity, { id: row.id })))?.status
  const position = async () => {
    const found = await db.read(em => em.findOne(LedgerPositionEntity, { transaction_id: row.id }))
    return [found?.pending_cents, found?.disputed_cents]
  }
  const notify = async (status: string, reference = `dp_${row.id}`, change: object = {}, created_at?: string) => {
    const now = new Date()
    const data = {
      ...{ status, reference, charge_key: `${row.payment_intent_id}:1`, amount_cents: 25_000, currency: 'MXN' },
      ...{ reason: 'fraudulent', network_reason_code: '10.4', due_by: null, opened_at: now.toISOString() },
      resolved_at: status === 'open' ? null : now.toISOString(),
      ...change,
    }
    const type = status === 'open' ? 'dispute.opened' : `dispute.${status}`
    const { body, signature } = await acquirer.sign(type, data, created_at ? { created_at } : {})
    const response = await fetch(`${service.url}/acquirer/v1/notifications`, {
      method: 'POST',
      headers: {
        ...(await service.headers({ kind: 'acquirer' })),
        ...{ 'content-type': 'application/json', 'acquirer-signature': signature },
      },
      body: new Uint8Array(body),
    })
    return response.status
  }
  const disputesOf = async () => (await call(operator, 'GET', '/api/disputes')).body.data as any[]
  return { row, key: keyCaller(merchant_id), operator, open, statusOf, position, notify, disputesOf }
}

test('an opened dispute takes the money, and a won dispute returns it', async () => {
  const { row, operator, open, statusOf, position, key } = await disputable()
  const created = await open({ network_reason_code: '10.4', evidence: { receipt: 'Ticket 5' } })
  expect([created.status, created.body.data]).toMatchObject([
    201,
    {
      transaction_id: row.id,
      amount_cents: 25_000,
      status: 'open',
      evidence: { receipt: 'Ticket 5' },
      resolved_at: null,
    },
  ])
  expect([await statusOf(), await position()]).toEqual(['chargeback', [0n, 25_000n]])
  const path = `/api/disputes/${created.body.data.id}`
  expect((await call(operator, 'PUT', path, { status: 'under_review' })).body.data.status).toBe('under_review')
  const won = await call(operator, 'PUT', path, { status: 'won' })
  expect(won.body.data).toMatchObject({ status: 'won', resolved_at: expect.stringMatching(/Z$/) })
  expect([await statusOf(), await position()]).toEqual(['approved', [25_000n, 0n]])
  expect((await call(operator, 'PUT', path, { status: 'lost' })).status).toBe(409)
  expect((await call(key, 'GET', path)).body.data).toEqual(won.body.data)
  expect((await call(keyCaller(), 'GET', path)).status).toBe(403)
})

test('a dispute of a part of the amount takes only that part, and winning it returns that part', async () => {
  const { operator, open, statusOf, position } = await disputable()
  const { status, body } = await open({ amount_cents: 10_000 })
  expect([status, body.data.amount_cents]).toEqual([201, 10_000])
  expect([await statusOf(), await position()]).toEqual(['chargeback', [15_000n, 10_000n]])
  expect((await open({ amount_cents: 1 })).status).toBe(409)
  await call(operator, 'PUT', `/api/disputes/${body.data.id}`, { status: 'won' })
  expect([await statusOf(), await position()]).toEqual(['approved', [25_000n, 0n]])
})

test.each([0, -1, 0.5, 25_001])('a dispute of %s of 25000 cents is rejected', async amount_cents => {
  const { open, statusOf, position } = await disputable()
  const { status, body } = await open({ amount_cents })
  expect([status, body.error]).toEqual([400, expect.stringContaining('amount_cents: expected')])
  expect([await statusOf(), await position()]).toEqual(['approved', [25_000n, 0n]])
})

test.each(['lost', 'accepted', 'expired'])('a dispute that is %s has taken the money for good', async status => {
  const { operator, open, statusOf, position } = await disputable()
  const { body } = await open()
  await call(operator, 'PUT', `/api/disputes/${body.data.id}`, { status })
  expect([await statusOf(), await position()]).toEqual(['chargeback', [0n, 0n]])
})

test('a merchant may only submit evidence for a dispute or accept it', async () => {
  const { key, open, row } = await disputable()
  expect((await call(key, 'POST', '/api/disputes', { transaction_id: row.id, reason: 'x' })).status).toBe(403)
  const path = `/api/disputes/${(await open()).body.data.id}`
  for (const change of [{ status: 'won' }, { status: 'lost' }, { reason: 'other' }, { due_by: null }])
    expect([change, (await call(key, 'PUT', path, change)).status]).toEqual([change, 403])
  await call(key, 'PUT', path, { evidence: { a: 'one', b: 'two' } })
  const { body } = await call(key, 'PUT', path, { evidence: { b: null, c: 'three' } })
  expect(body.data.evidence).toEqual({ a: 'one', c: 'three' })
  expect((await call(key, 'PUT', path, { evidence: { d: 'x'.repeat(4_097) } })).status).toBe(400)
  expect((await call(key, 'PUT', path, { status: 'accepted' })).body.data.status).toBe('accepted')
  expect((await call(key, 'PUT', path, { evidence: { e: 'late' } })).status).toBe(409)
  expect((await call(key, 'DELETE', path)).status).toBe(403)
})

test('the evidence of a dispute has at most fifty texts, and none again after the last is removed', async () => {
  const { key, open } = await disputable()
  const path = `/api/disputes/${(await open()).body.data.id}`
  const texts = (from: number, count: number, text: string | null) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`text_${from + at}`, text]))
  const submit = (evidence: object) => call(key, 'PUT', path, { evidence })
  expect((await submit(texts(0, 30, 'one'))).status).toBe(200)
  expect((await submit(texts(30, 20, 'one'))).status).toBe(200)
  const tooMany = await submit({ text_50: 'one' })
  expect([tooMany.status, tooMany.body.error]).toEqual([400, 'invalid_request: evidence: expected at most 50 texts'])
  await submit(texts(0, 30, null))
  expect((await submit(texts(30, 20, null))).body.data.evidence).toBeNull()
})

test('a payment that was refunded during its dispute is refunded when the dispute is won', async () => {
  const { row, notify, statusOf, position } = await disputable()
  const refund = await db.write(async tx =>
    startRefund(tx, await lockRow(tx, TransactionEntity, row.id), { owed: false }),
  )
  const completed = { status: 'completed', acquirer_reference: null } as const
  const logger = createLogger('transactions', 'silent')
  await notify('open')
  await db.write((tx, emit) => resolveRefund({ tx, emit, logger }, refund.id, completed))
  expect(await statusOf()).toBe('chargeback')
  await notify('won')
  expect([await statusOf(), await position()]).toEqual(['refunded', [0n, 0n]])
})

test('only an approved payment can be disputed, and only once at a time', async () => {
  const { open } = await disputable()
  const statuses = (await Promise.all(Array.from({ length: 10 }, () => open()))).map(answer => answer.status)
  expect(statuses.toSorted()).toEqual([201, ...Array(9).fill(409)])
  expect((await (await disputable({ status: 'declined', captured_at: null })).open()).status).toBe(409)
  const stranger = await disputable()
  const foreign = { transaction_id: stranger.row.id, reason: 'x' }
  expect((await call(operatorCaller('all', newId('mrc')), 'POST', '/api/disputes', foreign)).status).toBe(403)
  expect((await stranger.open({ transaction_id: newId('txn') })).status).toBe(404)
})

test('a payment whose refund is processing can be disputed only by the acquirer', async () => {
  const { open, notify, statusOf } = await disputable({ refund_status: 'processing' })
  expect((await open()).body).toEqual({ error: 'conflict: a refund is being processed' })
  expect([await statusOf(), await notify('open'), await statusOf()]).toEqual(['approved', 200, 'chargeback'])
  expect((await (await disputable({ refund_status: 'failed' })).open()).status).toBe(201)
})

test('a payment whose refund is processing is not refunded again', async () => {
  const { row, operator, statusOf } = await disputable({ refund_status: 'processing' })
  const answer = await call(operator, 'POST', `/api/transactions/${row.id}/refund`)
  expect([answer.status, answer.body]).toEqual([409, { error: 'conflict: a refund is being processed' }])
  expect(await statusOf()).toBe('approved')
  expect(await service.database.query('select from transactions.refunds where transaction_id = $1', [row.id])).toEqual(
    [],
  )
})

test.each([
  ['won', 'lost', 'the dispute is won'],
  ['lost', 'won', 'the dispute is lost'],
  ['under_review', 'open', 'a dispute that is under_review cannot become open'],
])('an operator cannot change a dispute that is %s to %s', async (from, to, reason) => {
  const { open, operator, position } = await disputable()
  const path = `/api/disputes/${(await open()).body.data.id}`
  expect((await call(operator, 'PUT', path, { status: from })).status).toBe(200)
  const before = await position()
  const answer = await call(operator, 'PUT', path, { status: to })
  expect([answer.status, answer.body.error]).toEqual([409, `conflict: ${reason}`])
  expect([(await call(operator, 'GET', path)).body.data.status, await position()]).toEqual([from, before])
})

test('a dispute that was opened through the API can be withdrawn', async () => {
  const { open, operator, statusOf, position } = await disputable()
  const path = `/api/disputes/${(await open()).body.data.id}`
  expect((await call(operator, 'DELETE', path)).status).toBe(200)
  expect([await statusOf(), await position()]).toEqual(['approved', [25_000n, 0n]])
  for (const [method, body] of [['GET'], ['DELETE'], ['PUT', { reason: 'x' }]] as const)
    expect((await call(operator, method, path, body)).status).toBe(404)
  expect((await call(operator, 'GET', '/api/disputes')).body.count).toBe(0)
  expect((await open()).status).toBe(201)
})

test('notifications of the acquirer update a dispute, and its outcome may arrive first', async () => {
  const { notify, disputesOf, statusOf, position, operator } = await disputable()
  await notify('lost')
  await notify('open')
  expect([await statusOf(), await position()]).toEqual(['chargeback', [0n, 0n]])
  expect(await disputesOf()).toMatchObject([{ status: 'lost', network_reason_code: '10.4' }])
  await notify('won')
  expect([await statusOf(), await position()]).toEqual(['approved', [25_000n, 0n]])
  const [dispute] = await disputesOf()
  expect(dispute.status).toBe('won')
  expect((await call(operator, 'DELETE', `/api/disputes/${dispute.id}`)).status).toBe(409)
})

test('a card number in the reason of a dispute is masked', async () => {
  const { notify, disputesOf } = await disputable()
  await notify('open', undefined, { reason: 'not mine: 4242 4242 4242 4242' })
  expect(await disputesOf()).toMatchObject([{ reason: 'not mine: [card]' }])
})

test('only an open dispute that was opened through the API can be withdrawn', async () => {
  const reported = await disputable()
  await reported.notify('open')
  const [theirs] = await reported.disputesOf()
  const refused = await call(reported.operator, 'DELETE', `/api/disputes/${theirs.id}`)
  expect([refused.status, refused.body.error]).toEqual([409, "conflict: the dispute is the acquirer's"])
  expect([await reported.statusOf(), await reported.position()]).toEqual(['chargeback', [0n, 25_000n]])
  for (const status of ['won', 'lost', 'accepted', 'expired']) {
    const { open, operator } = await disputable()
    const path = `/api/disputes/${(await open()).body.data.id}`
    await call(operator, 'PUT', path, { status })
    const answer = await call(operator, 'DELETE', path)
    expect([answer.status, answer.body.error]).toEqual([409, `conflict: the dispute is ${status}`])
  }
})

test('a notification of the acquirer updates the dispute that was opened through the API', async () => {
  const { open, notify, disputesOf, position } = await disputable()
  await open()
  await notify('open')
  expect([(await disputesOf()).length, await position()]).toEqual([1, [0n, 25_000n]])
  await notify('won')
  expect([(await disputesOf())[0].status, await position()]).toEqual(['won', [25_000n, 0n]])
})

test('a second dispute of a payment keeps it disputed when the first is won', async () => {
  const { notify, statusOf, position } = await disputable()
  await notify('open', 'dp_first')
  await notify('open', 'dp_second')
  expect(await position()).toEqual([-25_000n, 50_000n])
  await notify('won', 'dp_first')
  expect([await statusOf(), await position()]).toEqual(['chargeback', [0n, 25_000n]])
  await notify('won', 'dp_second')
  expect([await statusOf(), await position()]).toEqual(['approved', [25_000n, 0n]])
})

test('of two dispute outcomes that the acquirer reports the newer one stands, whichever arrives first', async () => {
  const { notify, statusOf, position, disputesOf } = await disputable()
  await notify('open')
  await notify('won', undefined, {}, '2030-01-01T00:00:00.000Z')
  await notify('lost', undefined, {}, '2030-01-02T00:00:00.000Z')
  expect([await statusOf(), await position()]).toEqual(['chargeback', [0n, 0n]])
  await notify('won', undefined, {}, '2030-01-01T12:00:00.000Z')
  expect([await statusOf(), await position(), (await disputesOf())[0].status]).toEqual(['chargeback', [0n, 0n], 'lost'])
  await notify('won', undefined, {}, '2030-01-03T00:00:00.000Z')
  expect([await statusOf(), await position()]).toEqual(['approved', [25_000n, 0n]])
})

test('a dispute first reported as won and then as lost takes the money', async () => {
  const { notify, statusOf, position } = await disputable()
  await notify('won')
  expect([await statusOf(), await position()]).toEqual(['approved', [25_000n, 0n]])
  await notify('lost')
  expect([await statusOf(), await position()]).toEqual(['chargeback', [0n, 0n]])
})

test("an operator may change everything of an acquirer's dispute except its outcome", async () => {
  const { notify, operator, key, disputesOf, statusOf, position } = await disputable()
  await notify('open')
  const path = `/api/disputes/${(await disputesOf())[0].id}`
  for (const status of ['won', 'lost', 'accepted', 'expired']) {
    const answer = await call(operator, 'PUT', path, { status })
    expect([answer.status, answer.body.error]).toEqual([409, 'conflict: the acquirer says how this dispute ends'])
  }
  const change = { status: 'under_review', evidence: { receipt: 'Ticket 5' } }
  expect((await call(operator, 'PUT', path, change)).body.data).toMatchObject(change)
  expect([await statusOf(), await position()]).toEqual(['chargeback', [0n, 25_000n]])
  expect((await call(key, 'PUT', path, { status: 'accepted' })).status).toBe(200)
  await notify('won')
  expect([await statusOf(), await position()]).toEqual(['approved', [25_000n, 0n]])
})

test('a dispute over part of a payment takes only that part, also when it was opened through the API over the full amount', async () => {
  const { open, notify, disputesOf, position, statusOf } = await disputable()
  await open()
  await notify('open', undefined, { amount_cents: 5_000 })
  expect([await disputesOf(), await position()]).toMatchObject([[{ amount_cents: 5_000 }], [20_000n, 5_000n]])
  await notify('lost', undefined, { amount_cents: 5_000 })
  expect([await statusOf(), await position()]).toEqual(['chargeback', [20_000n, 0n]])
  await notify('lost', undefined, { amount_cents: 4_000 })
  expect([await disputesOf(), await position()]).toMatchObject([[{ amount_cents: 4_000 }], [21_000n, 0n]])
  await notify('won', undefined, { amount_cents: 4_000 })
  expect([await statusOf(), await position()]).toEqual(['approved', [25_000n, 0n]])
})

test("a new dispute of the acquirer is not the operator's ended one over another amount", async () => {
  const { open, operator, notify, disputesOf, position } = await disputable()
  const path = `/api/disputes/${(await open({ amount_cents: 5_000 })).body.data.id}`
  await call(operator, 'PUT', path, { status: 'lost' })
  await notify('open', undefined, { amount_cents: 20_000 })
  expect([(await disputesOf()).length, await position()]).toEqual([2, [0n, 20_000n]])
  await notify('won', undefined, { amount_cents: 20_000 })
  expect((await call(operator, 'GET', path)).body.data).toMatchObject({ status: 'lost', amount_cents: 5_000 })
  expect(await position()).toEqual([20_000n, 0n])
})

test.each(['open', 'lost', 'won'] as const)(
  "a dispute reported as %s over almost the whole payment is the operator's lost one, and its amount is corrected",
  async status => {
    const { open, operator, notify, disputesOf, position, statusOf } = await disputable()
    await call(operator, 'PUT', `/api/disputes/${(await open()).body.data.id}`, { status: 'lost' })
    await notify(status, undefined, { amount_cents: 24_000 })
    const won = status === 'won'
    expect(await disputesOf()).toMatchObject([{ amount_cents: 24_000, status: won ? 'won' : 'lost' }])
    expect([await position(), await statusOf()]).toEqual(
      won ? [[25_000n, 0n], 'approved'] : [[1_000n, 0n], 'chargeback'],
    )
  },
)

test('of two openings of a dispute the one that the acquirer sent later stands, and none changes an ended dispute', async () => {
  const { notify, disputesOf, position } = await disputable()
  await notify('open', undefined, { amount_cents: 5_000 }, '2030-01-02T00:00:00.000Z')
  await notify('open', undefined, { amount_cents: 9_000 }, '2030-01-01T00:00:00.000Z')
  expect([await disputesOf(), await position()]).toMatchObject([[{ amount_cents: 5_000 }], [20_000n, 5_000n]])
  await notify('open', undefined, { amount_cents: 7_000 }, '2030-01-03T00:00:00.000Z')
  expect([await disputesOf(), await position()]).toMatchObject([[{ amount_cents: 7_000 }], [18_000n, 7_000n]])
  await notify('lost', undefined, { amount_cents: 7_000 }, '2030-01-02T12:00:00.000Z')
  await notify('open', undefined, { amount_cents: 9_000 }, '2030-01-04T00:00:00.000Z')
  expect([await disputesOf(), await position()]).toMatchObject([
    [{ amount_cents: 7_000, status: 'lost' }],
    [18_000n, 0n],
  ])
})

test('a dispute marked as lost by an operator takes the money once when the acquirer reports it as lost', async () => {
  const { open, operator, notify, disputesOf, position } = await disputable()
  await call(operator, 'PUT', `/api/disputes/${(await open()).body.data.id}`, { status: 'lost' })
  await notify('open')
  await notify('lost')
  expect([await disputesOf(), await position()]).toMatchObject([[{ status: 'lost' }], [0n, 0n]])
})

test('a dispute notification with another currency or another payment than before is stored and changes nothing', async () => {
  const [one, other] = [await disputable(), await disputable()]
  const reference = `dp_${one.row.id}`
  expect(await one.notify('open', undefined, { currency: 'USD' })).toBe(200)
  expect([await one.disputesOf(), await one.statusOf()]).toEqual([[], 'approved'])
  await one.notify('open')
  expect(await other.notify('lost', reference)).toBe(200)
  const stored = 'select from transactions.acquirer_notices where subject = $1'
  expect(await service.database.query(stored, [reference])).toHaveLength(3)
  expect([await one.position(), await other.position()]).toEqual([
    [0n, 25_000n],
    [25_000n, 0n],
  ])
})
