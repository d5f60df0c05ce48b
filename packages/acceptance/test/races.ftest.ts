import { encryptTestCard, payByCard } from '@cobro/local-stack'
import { waitFor } from '@cobro/testing'
import { type AcceptanceStack, acceptanceStack } from '../src/acceptance-stack.ts'
import { type ApiClient, clientsOf } from '../src/api-client.ts'
import { type MatrixCall, matrixCalls } from '../src/matrix-calls.ts'

/** `attempt-races.ftest.ts` runs 20 other races, on the attempts to pay one session or link. */
const rounds = process.env.COBRO_TEST_LONG === '1' ? 3 : 1
const reviewed = 34 - 20

let stack: AcceptanceStack
let clients: Awaited<ReturnType<typeof clientsOf>>
let valid: Awaited<ReturnType<typeof matrixCalls>>
let mine: Record<string, string>
let made = 0
beforeAll(async () => {
  stack = await acceptanceStack({ transactions: { BANK_CHANGE_HOLD_HOURS: '72' } })
  clients = await clientsOf(stack.stack)
  valid = await matrixCalls(stack)
  mine = { 'x-merchant-id': stack.stack.merchant_id }
})
afterAll(() => stack?.stop())

type Path = `/${string}`
const unique = (word: string) => `${word} ${++made}`
const as = (client: ApiClient, method: string, path: Path, body?: unknown, headers = {}) =>
  client.call(method, path, body, { ...mine, ...headers })
/** Calls as an operator who states the merchant. */
const call = (method: string, path: Path, body?: unknown, headers = {}) =>
  as(clients.operator, method, path, body, headers)
const prepare = async (operation: string): Promise<MatrixCall> => (await valid[operation]?.()) ?? {}
const idOf = async (operation: string) => (await prepare(operation)).params?.id ?? ''
const create = async (path: Path, body: object) => (await call('POST', path, body)).body.data.id as string
const times = <T>(count: number, run: (place: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, place) => run(place)))
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort()
const won = (answers: { status: number }[]) => answers.filter(({ status }) => status < 300).length
const read = async (path: Path) => (await call('GET', path)).body.data
const openSession = async () => (await prepare('getCheckoutSession')).params?.id ?? ''
const statusOfSession = async (id: string) => (await read(`/api/checkout-sessions/${id}`)).status
const count = async (sql: string, values: unknown[]) => (await stack.query(sql, values)).length

/** Each race makes its calls at once, and checks that they had the effect of some order of them. */
const races: Record<string, () => Promise<void>> = {
  'ten refunds of one payment': async () => {
    const id = await idOf('refundTransaction')
    const callers = [clients.merchant, clients.client]
    const answers = await times(10, place =>
      as(callers[place % 2] as ApiClient, 'POST', `/api/transactions/${id}/refund`),
    )
    expect(statuses(answers)).toEqual([202, ...Array(9).fill(409)])
    expect(await count('select from transactions.refunds where transaction_id = $1', [id])).toBe(1)
  },
  'a refund and a dispute of one payment': async () => {
    const id = await idOf('refundTransaction')
    const answers = await Promise.all([
      call('POST', `/api/transactions/${id}/refund`),
      call('POST', '/api/disputes', { transaction_id: id, reason: 'fraudulent' }),
    ])
    expect(won(answers)).toBe(1)
    const refunds = await count('select from transactions.refunds where transaction_id = $1', [id])
    const disputes = await count('select from transactions.disputes where transaction_id = $1', [id])
    expect([refunds + disputes, statuses(answers).at(-1)]).toEqual([1, 409])
  },
  'five disputes of one payment': async () => {
    const { body } = await prepare('createDispute')
    expect(statuses(await times(5, () => call('POST', '/api/disputes', body)))).toEqual([201, 409, 409, 409, 409])
  },
  'five settlements of one period': async () => {
    const { body } = await prepare('createSettlement')
    const answers = await times(5, () => call('POST', '/api/settlements', body))
    expect(won(answers)).toBe(1)
  },
  'a settlement that is paid, failed and deleted': async () => {
    const path = `/api/settlements/${await idOf('updateSettlement')}` as const
    const answers = await Promise.all([
      call('PUT', path, { status: 'paid', reference: unique('SPEI') }),
      call('PUT', path, { status: 'failed' }),
      call('DELETE', path),
    ])
    expect(won(answers)).toBe(1)
  },
  'ten uses of one refresh token': async () => {
    const { body } = await prepare('refreshToken')
    const answers = await times(10, () => as(clients.payer, 'POST', '/api/auth/refresh', body))
    expect(won(answers)).toBeLessThanOrEqual(1)
    // Reuse ends the whole login, also for the token that the first use returned.
    const successor = answers.find(({ status }) => status === 200)?.body.refresh_token
    const later = await as(clients.payer, 'POST', '/api/auth/refresh', { refresh_token: successor ?? 'none' })
    expect(later.status).toBe(401)
  },
  'a refresh and a logout': async () => {
    const { body } = await prepare('refreshToken')
    const [refreshed, ended] = await Promise.all([
      as(clients.payer, 'POST', '/api/auth/refresh', body),
      as(clients.payer, 'POST', '/api/auth/logout', body),
    ])
    expect(ended.status).toBe(200)
    for (const token of [refreshed.body.refresh_token ?? 'none', (body as { refresh_token: string }).refresh_token]) {
      const later = await as(clients.payer, 'POST', '/api/auth/refresh', { refresh_token: token })
      expect(later.status).toBe(401)
    }
  },
  'five passwords for one setup token': async () => {
    const { body } = await prepare('setPassword')
    const answers = await times(5, place =>
      as(clients.payer, 'POST', '/api/auth/password', { ...body, password: `a long enough password ${place}` }),
    )
    expect(statuses(answers)).toEqual([200, 401, 401, 401, 401])
  },
  'a rotation and a revocation of one API key': async () => {
    const id = await idOf('rotateApiKey')
    const [rotated, revoked] = await Promise.all([
      call('POST', `/api/api-keys/${id}/rotate`, {}),
      call('DELETE', `/api/api-keys/${id}`),
    ])
    expect([[201, 409].includes(rotated.status), revoked.status]).toEqual([true, 200])
    expect((await read(`/api/api-keys/${id}`)).status).toBe('revoked')
  },
  'five rotations of one API key without overlap': async () => {
    const id = await idOf('rotateApiKey')
    const answers = await times(5, () => call('POST', `/api/api-keys/${id}/rotate`, { overlap_seconds: 0 }))
    expect(statuses(answers)).toEqual([201, 409, 409, 409, 409])
  },
  'ten calls with one idempotency key': async () => {
    const external_id = unique('keyed')
    const order = { amount_total: 100, return_url: 'https://shop.mx', external_id }
    const key = { 'idempotency-key': external_id }
    const answers = await times(10, () => as(clients.merchant, 'POST', '/checkout/v1/sessions', order, key))
    const created = answers.filter(({ status }) => status === 201)
    expect(new Set(created.map(({ body }) => body.id)).size).toBe(1)
    expect(answers.filter(({ status }) => ![201, 409].includes(status))).toEqual([])
    expect(await count('select from checkout.checkout_sessions where external_id = $1', [external_id])).toBe(1)
  },
  'five bodies with one idempotency key': async () => {
    const name = unique('keyed')
    const answers = await times(5, place =>
      as(clients.merchant, 'POST', '/api/sucursales', { name, phone: `55 000${place}` }, { 'idempotency-key': name }),
    )
    expect(won(answers)).toBe(1)
    expect(answers.filter(({ status }) => ![201, 409, 422].includes(status))).toEqual([])
    expect(await count('select from transactions.sucursales where name = $1', [name])).toBe(1)
  },
  'a payment and a cancellation of one session': async () => {
    const id = await openSession()
    const [paid, cancelled] = await Promise.all([
      payByCard(stack.stack.hosted_url, id, '4242424242424242'),
      as(clients.merchant, 'POST', `/checkout/v1/sessions/${id}/cancel`),
    ])
    expect(won([paid, cancelled])).toBe(1)
    expect(await statusOfSession(id)).toBe(paid.status === 200 ? 'completed' : 'cancelled')
  },
  'a payment and the expiry of one session': async () => {
    const id = await openSession()
    const [paid] = await Promise.all([
      payByCard(stack.stack.hosted_url, id, '4242424242424242'),
      stack.query('update checkout.checkout_sessions set expires_at = now() where id = $1', [id]),
    ])
    const ended = await waitFor(async () => {
      const status = await statusOfSession(id)
      return status !== 'pending' && status
    })
    expect([paid.status === 200, ended]).toEqual([ended === 'completed', paid.status === 200 ? 'completed' : 'expired'])
    const transactions = 'select from transactions.transactions where payable_id = $1'
    expect(await count(transactions, [id])).toBe(paid.status === 200 ? 1 : 0)
  },
  'a payment and a change of amount of one link': async () => {
    const id = await idOf('getPaymentLink')
    // The payer has read the link before: a payer who reads the new amount may pay that.
    const { body } = await clients.payer.call('GET', `/hosted/v1/links/${id}`)
    const card_jwe = await encryptTestCard(body.data, '4242424242424242')
    const [paid, changed] = await Promise.all([
      clients.payer.call('POST', `/hosted/v1/links/${id}/payments`, { method: 'card', card_jwe }),
      call('PUT', `/api/payment-links/${id}`, { amount_cents: 99_900 }),
    ])
    expect(won([paid, changed])).toBe(1)
    const sums = await stack.query('select amount_cents from transactions.transactions where payable_id = $1', [id])
    if (paid.status === 200) expect(sums.map(({ amount_cents }) => Number(amount_cents))).toEqual([25_000])
  },
  'five cancellations of one session': async () => {
    const id = await openSession()
    const answers = await times(5, () => as(clients.merchant, 'POST', `/checkout/v1/sessions/${id}/cancel`))
    expect(won(answers)).toBeGreaterThanOrEqual(1)
    const { correlation_id } = await read(`/api/checkout-sessions/${id}`)
    const events = "select from audit.events where correlation_id = $1 and action = 'checkout_session.cancelled'"
    await waitFor(async () => (await count(events, [correlation_id])) > 0)
    expect(await count(events, [correlation_id])).toBe(1)
  },
  'five payments of one voucher': async () => {
    const { params = {} } = await prepare('paySandboxVoucher')
    const answers = await times(5, () => call('POST', `/api/sandbox/vouchers/${params.reference}/pay`))
    expect(won(answers)).toBeGreaterThanOrEqual(1)
    const captured = `select sum(e.amount_cents)::integer as cents from transactions.ledger_entries e
      join transactions.transactions t on t.id = e.transaction_id where t.voucher_reference = $1 and e.event = 'capture'`
    const posted = await waitFor(async () => (await stack.query(captured, [params.reference]))[0].cents ?? false)
    expect(posted).toBe(25_000)
  },
  'an approval and a cancellation of one bank change': async () => {
    const { params, body } = await prepare('approveBankChange')
    const path = `/api/settlement-config/${params?.id}/bank` as const
    const answers = await Promise.all([
      call('POST', `${path}/approve`, body),
      call('POST', `${path}/cancel`),
      call('POST', `${path}/approve`, body),
    ])
    expect(won(answers)).toBe(1)
  },
  'a link of a terminal and the deletion of its sucursal': async () => {
    const [terminal, sucursal] = [await idOf('getTerminal'), await idOf('getSucursal')]
    const answers = await Promise.all([
      call('POST', `/api/terminales/${terminal}/link`, { sucursal_id: sucursal }),
      call('DELETE', `/api/sucursales/${sucursal}`),
    ])
    expect(won(answers)).toBe(1)
  },
  'five terminals with one serial number': async () => {
    const serial = unique('race')
    const answers = await times(5, () => call('POST', '/api/terminales', { name: 'T', serial }))
    expect(statuses(answers)).toEqual([201, 409, 409, 409, 409])
  },
  'five users with one e-mail address': async () => {
    const account = { email: `race-${++made}@races.test`, role: 'client', merchant_id: stack.stack.merchant_id }
    expect(statuses(await times(5, () => call('POST', '/api/users', account)))).toEqual([201, 409, 409, 409, 409])
  },
  'an approval and a cancellation of one manual transaction': async () => {
    const sale = { rail: 'online_cnp', payment_method: 'card', amount_cents: 100, status: 'pending' }
    const id = await create('/api/transactions', sale)
    const answers = await Promise.all(
      ['approved', 'cancelled'].map(status => call('PUT', `/api/transactions/${id}`, { status })),
    )
    expect(won(answers)).toBe(1)
  },
  'a refund and a deletion of one manual transaction': async () => {
    const id = await idOf('deleteTransaction')
    const answers = await Promise.all([
      call('POST', `/api/transactions/${id}/refund`),
      call('DELETE', `/api/transactions/${id}`),
    ])
    expect(won(answers)).toBe(1)
  },
  'five redeliveries of one webhook': async () => {
    const id = await idOf('redeliverWebhook')
    const attempts = 'select from webhooks.attempts where delivery_id = $1'
    const before = await count(attempts, [id])
    const answers = await times(5, () => call('POST', `/api/webhook-deliveries/${id}/redeliver`))
    expect(answers.filter(({ status }) => ![202, 409].includes(status))).toEqual([])
    await waitFor(async () => (await count(attempts, [id])) > before)
    expect(await count(attempts, [id])).toBeLessThanOrEqual(before + won(answers))
  },
}

test.each(Object.entries(races))(
  'calls at the same time have the effect of one after another: %s',
  async (_what, run) => {
    for (let round = 0; round < rounds; round++) await run()
  },
)

test('as many races were run as in a review, and the ledger has no discrepancy', async () => {
  const kinds = Object.keys(races).length
  process.stdout.write(`${rounds * kinds} races of ${kinds} kinds\n`)
  expect(kinds).toBeGreaterThanOrEqual(reviewed)
  expect(await read('/api/ledger/check')).toMatchObject({ ok: true, first_fault: null })
})
