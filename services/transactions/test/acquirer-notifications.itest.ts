import { newId } from '@cobro/contracts'
import { type Database, lockRow, openDatabase } from '@cobro/database'
import { clientCaller, keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { createLogger } from '@cobro/runtime'
import { type EventTap, tapEvents, waitFor } from '@cobro/testing'
import { entities } from '../src/entities.ts'
import { checkLedger } from '../src/ledger-check/check-ledger.ts'
import { RefundEntity } from '../src/refunds/refund-entity.ts'
import { startRefund } from '../src/refunds/start-refund.ts'
import { TransactionEntity, type TransactionRow } from '../src/transactions/transaction-entity.ts'
import { notificationSender } from './notification-sender.ts'
import { paymentRow } from './payment-row.ts'
import { transactionsUnderTest } from './transactions-service.ts'

let acquirer: Awaited<ReturnType<typeof notificationSender>>
let service: Awaited<ReturnType<typeof transactionsUnderTest>>
let db: Database
let tap: EventTap
const logged: Record<string, unknown>[] = []
beforeAll(async () => {
  acquirer = await notificationSender()
  const logger = createLogger('transactions', 'error', { write: line => void logged.push(JSON.parse(line)) })
  service = await transactionsUnderTest(acquirer.url, {}, logger)
  db = openDatabase({ url: service.database.url('transactions'), schema: 'transactions', entities })
  tap = await tapEvents({ url: service.amqpUrl, namespace: service.namespace })
  // With the first notification the service loads the keys, and rejects it if that takes longer than three seconds.
  await waitFor(async () => (await notify('later.invented', {})).status === 200)
})
afterAll(async () => {
  await db.close()
  await tap.close()
  await service.stop()
  await acquirer.close()
})

const aPayment = (change?: Partial<TransactionRow>) => paymentRow(db, change)
const keyOf = (row: TransactionRow) => `${row.payment_intent_id}:${row.attempt}`
const statusOf = async ({ id }: TransactionRow) => (await db.read(em => em.findOne(TransactionEntity, { id })))?.status
const storedNotifications = (id: string) =>
  db.read(em => em.execute('select * from transactions.acquirer_notices where id = ?', [id]))

async function post({ body, signature }: { body: Buffer; signature?: string }) {
  const response = await fetch(`${service.url}/acquirer/v1/notifications`, {
    method: 'POST',
    headers: {
      ...(await service.headers({ kind: 'acquirer' })),
      'content-type': 'application/json',
      ...(signature ? { 'acquirer-signature': signature } : {}),
    },
    body: new Uint8Array(body),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
const notify = async (type: string, data: object, options?: Parameters<typeof acquirer.sign>[2]) =>
  post(await acquirer.sign(type, data, options))

const charged = (row: TransactionRow, status = 'approved') => ({
  ...{ key: keyOf(row), status, reference: 'ch_1', risk_score: 3 },
  response_code: status === 'approved' ? '00' : '05',
})
const voucherOf = (row: TransactionRow, status: 'paid' | 'expired') => ({
  ...{
    key: keyOf(row),
    status,
    reference: row.voucher_reference,
    barcode: '9300',
    amount_cents: 25_000,
    currency: 'MXN',
  },
  due_at: '2030-01-04T05:59:00.000Z',
  paid_at: status === 'paid' ? '2030-01-01T00:00:00.000Z' : null,
})
const dispute = (row: TransactionRow, status: 'open' | 'won' | 'lost', reference = `dp_${row.id}`) => ({
  ...{ reference, status, charge_key: keyOf(row), amount_cents: 25_000, currency: 'MXN' },
  ...{ reason: 'fraudulent', network_reason_code: '10.4', due_by: null, resolved_at: null },
  opened_at: '2030-01-01T00:00:00.000Z',
})

describe('an unverified notification', () => {
  const unauthorized = { status: 401, body: { error: 'unauthorized' } }

  test('an unverified notification is rejected without a reason and has no effect', async () => {
    const row = await aPayment({ status: 'pending' })
    const { body, signature } = await acquirer.sign('charge.settled', charged(row))
    const changed = Buffer.from(body.toString().replace('approved', 'declined'))
    expect(await post({ body })).toEqual(unauthorized)
    expect(await post({ body, signature: 'nonsense' })).toEqual(unauthorized)
    expect(await post({ body: changed, signature })).toEqual(unauthorized)
    expect(await notify('charge.settled', charged(row), { ageSeconds: 301 })).toEqual(unauthorized)
    expect(await statusOf(row)).toBe('pending')
  })

  test.each([
    ['no JSON', '{"id":', 'application/json'],
    ['text', 'paid', 'text/plain'],
    ['nothing', undefined, 'application/json'],
    ['nothing of any type', undefined, undefined],
    ['a list', '[1]', 'application/json'],
    ['a card number', '{"id":"4242424242424242"}', 'application/json'],
    ['a key that is not allowed', '{"__proto__":{}}', 'application/json'],
  ])('an unverified notification is rejected when it is %s', async (_what, body, type) => {
    const headers = { ...(await service.headers({ kind: 'acquirer' })), ...(type ? { 'content-type': type } : {}) }
    const { signature } = await acquirer.sign('later.invented', {})
    for (const signed of [{}, { 'acquirer-signature': signature }]) {
      const sent = { method: 'POST', headers: { ...headers, ...signed }, body: body ?? null }
      const response = await fetch(`${service.url}/acquirer/v1/notifications`, sent)
      expect({ status: response.status, body: await response.json() }).toEqual(unauthorized)
    }
  })

  test('a notification from a caller that is not the acquirer is rejected before it is parsed', async () => {
    const response = await fetch(`${service.url}/acquirer/v1/notifications`, { method: 'POST', body: '{}' })
    expect(response.status).toBe(401)
  })
})

test('a notification is answered 503 while its signature cannot be checked, so that the acquirer repeats it', async () => {
  const own = await notificationSender()
  const fresh = await transactionsUnderTest(own.url)
  try {
    own.state.unavailable = true
    const { body, signature } = await own.sign('later.invented', {})
    const headers = { ...(await fresh.headers({ kind: 'acquirer' })), 'acquirer-signature': signature }
    const send = () =>
      fetch(`${fresh.url}/acquirer/v1/notifications`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: new Uint8Array(body),
      })
    expect((await send()).status).toBe(503)
  } finally {
    await fresh.stop()
    await own.close()
  }
})

test('a notification of a late approval resolves its payment once, with the acquirer as the actor', async () => {
  const row = await aPayment({ status: 'pending' })
  const notification = await acquirer.sign('charge.settled', charged(row))
  const answers = await Promise.all([1, 2, 3].map(() => post(notification)))
  expect(answers).toEqual(Array(3).fill({ status: 200, body: { received: true } }))
  expect(await statusOf(row)).toBe('approved')
  await waitFor(() => tap.names(row.correlation_id).includes('payment_attempt.settled'))
  const messages = tap.messages.filter(message => message.correlation_id === row.correlation_id)
  expect(messages).toMatchObject(
    ['payment.approved', 'payment_attempt.settled'].map(name => ({
      name,
      actor: { type: 'acquirer', id: null },
      request_id: null,
      merchant_id: row.merchant_id,
    })),
  )
})

test.each([
  ['voucher.paid', 'paid', 'approved'],
  ['voucher.expired', 'expired', 'expired'],
] as const)('the notification %s with status %s makes the transaction %s', async (type, voucherStatus, status) => {
  const row = await aPayment({ status: 'pending', payment_method: 'cash', voucher_reference: newId('evt') })
  expect(await notify(type, voucherOf(row, voucherStatus))).toMatchObject({ status: 200 })
  expect(await statusOf(row)).toBe(status)
})

test('a notification about something unknown or of an unknown type is stored', async () => {
  const stranger = { payment_intent_id: newId('pi'), attempt: 1 } as TransactionRow
  for (const [type, data, id] of [
    ['charge.settled', charged(stranger), 'ntf_a'],
    ['charge.settled', { ...charged(stranger), key: 'not one of ours' }, 'ntf_e'],
    ['charge.settled', { ...charged(stranger), key: 'pi_unknown:1' }, 'ntf_f'],
    ['dispute.opened', dispute(stranger, 'open'), 'ntf_b'],
    ['refund.completed', { key: 'rfd', status: 'completed', reference: 'r', failure_code: null }, 'ntf_c'],
    ['later.invented', { any: 'thing' }, 'ntf_d'],
  ] as const) {
    expect(await notify(type, data, { id })).toMatchObject({ status: 200 })
    expect(await storedNotifications(id)).toHaveLength(1)
  }
})

describe('a notification that does not fit the stored outcome', () => {
  const refundsOf = ({ id }: TransactionRow) =>
    db.read(em => em.find(RefundEntity, { transaction_id: id }, { orderBy: { created_at: 'asc' } }))
  /** Starts a refund that is never requested from the acquirer, and returns its key. */
  async function startedRefund(row: TransactionRow, owed = false) {
    const start = { owed, startsAt: new Date('2100-01-01') }
    return (await db.write(async tx => startRefund(tx, await lockRow(tx, TransactionEntity, row.id), start))).id
  }
  async function failedRefund(row: TransactionRow, { created_at = new Date().toISOString(), owed = false } = {}) {
    const key = await startedRefund(row, owed)
    await notify('refund.failed', failed(key), { created_at })
    return key
  }
  const failed = (key: string) => ({ key, status: 'failed', reference: 'rf_1', failure_code: 'refused' })
  const completed = (key: string) => ({ key, status: 'completed', reference: 'rf_1', failure_code: null })

  test('an approval after a decline is a late payment, which is refunded', async () => {
    const row = await aPayment({ status: 'declined', captured_at: null })
    expect(await notify('charge.settled', charged(row))).toMatchObject({ status: 200 })
    expect(await notify('charge.settled', charged(row))).toMatchObject({ status: 200 })
    const late = await db.read(em => em.find(TransactionEntity, { late_payment_of: row.id }))
    expect(late).toMatchObject([{ status: 'approved', fee_cents: 0, amount_cents: 25_000 }])
    expect(await refundsOf(late[0]!)).toMatchObject([{ owed: true, payment_key: keyOf(row) }])
    expect(await statusOf(row)).toBe('declined')
  })

  test('a decline after an approval is stored and changes nothing', async () => {
    const row = await aPayment()
    const id = `ntf_${row.id}`
    expect(await notify('charge.settled', charged(row, 'declined'), { id })).toMatchObject({ status: 200 })
    expect(await statusOf(row)).toBe('approved')
    expect(await storedNotifications(id)).toMatchObject([{ payload: { status: 'declined' } }])
    const contradiction = expect.stringContaining(`Transaction ${row.id} is approved, and the acquirer says declined.`)
    expect(logged.filter(line => line.notification_id === id)).toMatchObject([
      { level: 'error', of: 'charge', subject: keyOf(row), err: { message: contradiction } },
    ])
  })

  test('a refund that failed and is then reported as completed returns the money in the ledger', async () => {
    const row = await aPayment()
    const [first, second] = [await failedRefund(row), await failedRefund(row)]
    expect(await notify('refund.completed', completed(first))).toMatchObject({ status: 200 })
    expect((await refundsOf(row)).map(({ status }) => status)).toEqual(['completed', 'failed'])
    const refunded = await db.read(em => em.findOne(TransactionEntity, { id: row.id }))
    expect(refunded).toMatchObject({ status: 'refunded', refund_status: 'completed', refund_id: first })
    await waitFor(() => tap.names(row.correlation_id).includes('payment.refunded'))
    expect(await notify('refund.completed', completed(second))).toMatchObject({ status: 200 })
    expect((await refundsOf(row)).map(({ status }) => status)).toEqual(['completed', 'failed'])
    expect(await checkLedger(db, operatorCaller([row.merchant_id]))).toMatchObject({ ok: true, transactions: 1 })
  })

  test('a refund that failed and is reported as completed during another one is answered 503 until that one has ended', async () => {
    const row = await aPayment()
    const first = await failedRefund(row)
    const second = await startedRefund(row)
    await db.read(em => em.execute('update transactions.refunds set asked_at = now() where id = ?', [second]))
    const id = `ntf_${row.id}`
    expect(await notify('refund.completed', completed(first), { id })).toMatchObject({ status: 503 })
    expect(await storedNotifications(id)).toEqual([])
    await notify('refund.failed', failed(second))
    expect(await notify('refund.completed', completed(first), { id })).toMatchObject({ status: 200 })
    expect((await refundsOf(row)).map(({ status }) => status)).toEqual(['completed', 'failed'])
    expect(await statusOf(row)).toBe('refunded')
  })

  test('a refund reported as completed during another one is stored after an hour, and changes nothing', async () => {
    const row = await aPayment()
    const first = await failedRefund(row, { created_at: '2026-01-01T00:00:00.000Z' })
    const second = await startedRefund(row)
    const asked = `update transactions.refunds set asked_at = now() - interval '61 minutes' where id = ?`
    await db.read(em => em.execute(asked, [second]))
    const sent = { id: `ntf_${row.id}`, created_at: new Date(Date.now() - 61 * 60_000).toISOString() }
    expect(await notify('refund.completed', completed(first), sent)).toMatchObject({ status: 200 })
    expect((await refundsOf(row)).map(({ status }) => status)).toEqual(['failed', 'processing'])
    expect(await storedNotifications(sent.id)).toHaveLength(1)
  })

  test('a refund that was not requested yet ends when an earlier one is reported as completed', async () => {
    const row = await aPayment()
    const first = await failedRefund(row)
    await startedRefund(row)
    expect(await notify('refund.completed', completed(first))).toMatchObject({ status: 200 })
    expect(await refundsOf(row)).toMatchObject([{ status: 'completed' }, { status: 'failed', next_check_at: null }])
    expect(await statusOf(row)).toBe('refunded')
  })

  test('a refund that is reported as completed after all need not be transferred manually', async () => {
    const row = await aPayment()
    const first = await failedRefund(row)
    const second = await startedRefund(row, true)
    await notify('refund.failed', failed(second))
    expect(await refundsOf(row)).toMatchObject([{ by_hand: false }, { by_hand: true }])
    expect(await notify('refund.completed', completed(first))).toMatchObject({ status: 200 })
    expect(await refundsOf(row)).toMatchObject([
      { status: 'completed', by_hand: false },
      { status: 'failed', by_hand: false },
    ])
    const refunded = await db.read(em => em.findOne(TransactionEntity, { id: row.id }))
    expect(refunded).toMatchObject({ status: 'refunded', refund_id: first, manual_refund: false })
  })

  test.each([
    ['failed', false, { status: 'failed', by_hand: false }],
    ['is due manually', true, { status: 'processing', by_hand: true }],
  ])('a refund that %s stays so if the acquirer reported it as completed before', async (_state, owed, stored) => {
    const row = await aPayment()
    const key = await failedRefund(row, { created_at: '2030-01-02T00:00:00.000Z', owed })
    const older = { created_at: '2030-01-01T00:00:00.000Z' }
    expect(await notify('refund.completed', completed(key), older)).toMatchObject({ status: 200 })
    expect([await refundsOf(row), await statusOf(row)]).toMatchObject([[stored], 'approved'])
  })

  test('a dispute of a payment that was declined waits an hour for its approval, and is then only stored', async () => {
    const updated_at = new Date('2026-01-01')
    const row = await aPayment({ status: 'declined', captured_at: null, updated_at })
    const id = `ntf_${row.id}`
    const before = (minutes: number) => ({ id, created_at: new Date(Date.now() - minutes * 60_000).toISOString() })
    expect(await notify('dispute.opened', dispute(row, 'open'), before(59))).toMatchObject({ status: 503 })
    expect(await storedNotifications(id)).toEqual([])
    expect(await notify('dispute.opened', dispute(row, 'open'), before(61))).toMatchObject({ status: 200 })
    expect(await storedNotifications(id)).toHaveLength(1)
    expect(await statusOf(row)).toBe('declined')
  })

  test('a voucher that was paid with another amount is stored and changes nothing', async () => {
    const cash = { payment_method: 'cash', voucher_reference: newId('evt') } as const
    const row = await aPayment({ ...cash, status: 'pending' })
    const id = `ntf_${row.id}`
    const paid = { ...voucherOf(row, 'paid'), amount_cents: 24_999 }
    expect(await notify('voucher.paid', paid, { id })).toMatchObject({ status: 200 })
    expect([await storedNotifications(id), await statusOf(row)]).toMatchObject([[{ type: 'voucher' }], 'pending'])
  })
})

test('a notification with ids that look like card numbers is accepted and stored masked', async () => {
  const row = await aPayment({ status: 'pending' })
  const id = `ntf_${row.id}`
  const answer = await notify('charge.settled', { ...charged(row), reference: '4242424242424242' }, { id })
  expect(answer).toMatchObject({ status: 200 })
  expect(await statusOf(row)).toBe('approved')
  const [stored] = await storedNotifications(id)
  expect(stored).toMatchObject({ payload: { status: 'approved', acquirer_reference: '[card]' } })
})

describe('dispute notifications', () => {
  test('a dispute notification makes the payment a chargeback, and its win makes it approved again', async () => {
    const row = await aPayment()
    await notify('dispute.opened', dispute(row, 'open'), { id: `open_${row.id}` })
    await notify('dispute.opened', dispute(row, 'open'), { id: `open_${row.id}` })
    expect(await statusOf(row)).toBe('chargeback')
    await notify('dispute.won', dispute(row, 'won'))
    expect(await statusOf(row)).toBe('approved')
    await waitFor(() => tap.names(row.correlation_id).length === 3)
    expect(tap.names(row.correlation_id)).toEqual(['payment.chargeback', 'dispute.opened', 'dispute.won'])
    const won = tap.messages.find(
      ({ name, correlation_id }) => name === 'dispute.won' && correlation_id === row.correlation_id,
    )
    expect(won?.data).toMatchObject({ amount_cents: row.amount_cents, currency: row.currency })
  })

  test('a second dispute, or a won dispute that is then lost, emits payment.chargeback again', async () => {
    const [twice, after] = [await aPayment(), await aPayment()]
    for (const reference of ['dp_once', 'dp_again']) await notify('dispute.opened', dispute(twice, 'open', reference))
    await notify('dispute.opened', dispute(after, 'open'))
    for (const end of ['won', 'lost'] as const) await notify(`dispute.${end}`, dispute(after, end))
    expect([await statusOf(twice), await statusOf(after)]).toEqual(['chargeback', 'chargeback'])
    const names = ({ correlation_id }: TransactionRow) => tap.names(correlation_id)
    await waitFor(() => names(twice).length === 4 && names(after).length === 5)
    expect([names(twice), names(after)]).toEqual([
      ['payment.chargeback', 'dispute.opened', 'payment.chargeback', 'dispute.opened'],
      ['payment.chargeback', 'dispute.opened', 'dispute.won', 'payment.chargeback', 'dispute.lost'],
    ])
  })

  test('dispute notifications that arrive in the wrong order have the same result', async () => {
    const [won, lost] = [await aPayment(), await aPayment()]
    await notify('dispute.won', dispute(won, 'won'))
    await notify('dispute.opened', dispute(won, 'open'))
    expect(await statusOf(won)).toBe('approved')
    await notify('dispute.lost', dispute(lost, 'lost'))
    await notify('dispute.opened', dispute(lost, 'open'))
    expect(await statusOf(lost)).toBe('chargeback')
  })

  test('a dispute whose opening and win arrive concurrently ends as won', async () => {
    for (let i = 0; i < 10; i++) {
      const row = await aPayment()
      await Promise.all([notify('dispute.opened', dispute(row, 'open')), notify('dispute.won', dispute(row, 'won'))])
      expect(await statusOf(row)).toBe('approved')
    }
  })

  test('a dispute of a payment without a stored outcome is answered 503, so that the acquirer repeats it', async () => {
    const row = await aPayment({ status: 'pending' })
    const id = `early_${row.id}`
    expect(await notify('dispute.opened', dispute(row, 'open'), { id })).toMatchObject({ status: 503 })
    expect(await storedNotifications(id)).toEqual([])
    await notify('charge.settled', charged(row))
    expect(await notify('dispute.opened', dispute(row, 'open'), { id })).toMatchObject({ status: 200 })
    expect(await statusOf(row)).toBe('chargeback')
  })
})

describe('paying a voucher in sandbox', () => {
  const pay = async (reference: string, caller: Parameters<typeof service.headers>[0], at = service) => {
    const headers = await at.headers(caller)
    const response = await fetch(`${at.url}/api/sandbox/vouchers/${reference}/pay`, { method: 'POST', headers })
    return { status: response.status, body: await response.json() }
  }
  const aVoucher = () => aPayment({ status: 'pending', payment_method: 'cash', voucher_reference: newId('evt') })

  test('an operator pays a sandbox voucher of its own merchants once', async () => {
    const row = await aVoucher()
    const reference = row.voucher_reference as string
    expect(await pay(reference, operatorCaller([newId('mrc')]))).toMatchObject({ status: 403 })
    expect(await pay('931', operatorCaller())).toMatchObject({ status: 404 })
    expect(acquirer.state.paid.has(reference)).toBe(false)
    expect(await pay(reference, operatorCaller([row.merchant_id]))).toEqual({
      status: 200,
      body: { data: { reference, status: 'paid' } },
    })
    expect(await pay(reference, operatorCaller())).toMatchObject({ status: 409 })
  })

  test("a merchant's key and user pay a sandbox voucher of that merchant only", async () => {
    for (const callerOf of [keyCaller, clientCaller]) {
      const { merchant_id, voucher_reference } = await aVoucher()
      const reference = voucher_reference as string
      expect(await pay(reference, callerOf(newId('mrc')))).toMatchObject({ status: 403 })
      expect(acquirer.state.paid.has(reference)).toBe(false)
      expect(await pay(reference, callerOf(merchant_id))).toMatchObject({ status: 200 })
    }
  })

  test('paying a reused reference in sandbox pays the newest voucher', async () => {
    const cash = { payment_method: 'cash', voucher_reference: newId('evt') } as const
    const reference = cash.voucher_reference
    const older = await aPayment({ ...cash, status: 'expired', created_at: new Date(Date.now() - 60_000) })
    const newest = await aPayment({ ...cash, status: 'pending' })
    expect(await pay(reference, operatorCaller([older.merchant_id]))).toMatchObject({ status: 403 })
    expect(await pay(reference, operatorCaller([newest.merchant_id]))).toMatchObject({ status: 200 })
  })

  test('paying a sandbox voucher is answered 503 while the acquirer is unreachable', async () => {
    const row = await aVoucher()
    acquirer.state.unavailable = true
    const answer = await pay(row.voucher_reference as string, operatorCaller())
    acquirer.state.unavailable = false
    expect(answer).toMatchObject({ status: 503 })
  })

  test('paying a voucher is answered 404 in production', async () => {
    const production = await transactionsUnderTest(acquirer.url, { COBRO_ENV: 'production' })
    const answer = await pay('931', operatorCaller(), production)
    await production.stop()
    expect(answer).toEqual({ status: 404, body: { error: 'not_found' } })
  })
})
