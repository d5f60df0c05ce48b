import { type Caller, feeRules, type Id, newId } from '@cobro/contracts'
import { type Database, openDatabase } from '@cobro/database'
import type { IncomingCall } from '@cobro/http'
import { clientCaller, keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { type EventTap, tapEvents, waitFor } from '@cobro/testing'
import { approveCall } from '../src/approvals/decide-approval.ts'
import { lapseApprovals } from '../src/approvals/lapse-approvals.ts'
import { entities } from '../src/entities.ts'
import { checkLedger } from '../src/ledger-check/check-ledger.ts'
import { inLedgerBatches } from '../src/maturity/ledger-batches.ts'
import { maturePositions } from '../src/maturity/mature-positions.ts'
import { serviceCalls } from './service-calls.ts'
import { transactionsUnderTest } from './transactions-service.ts'

const limitCents = 1_000_000
const hour = 3_600_000

let service: Awaited<ReturnType<typeof transactionsUnderTest>>
let db: Database
let tap: EventTap
beforeAll(async () => {
  service = await transactionsUnderTest('http://127.0.0.1:9', {
    DUAL_CONTROL: 'on',
    DUAL_CONTROL_CENTS: limitCents,
    APPROVER_AGE_HOURS: 72,
  })
  tap = await tapEvents({ url: service.amqpUrl, namespace: service.namespace })
  db = openDatabase({ url: service.database.url('transactions'), schema: 'transactions', entities })
})
afterAll(async () => {
  await tap.close()
  await db.close()
  await service.stop()
})

const call = serviceCalls(() => service)
const sale = { rail: 'online_cnp', payment_method: 'card', amount_cents: limitCents }
const large = { ...sale, amount_cents: limitCents + 1 }
const reserve = { percent_bps: 100, hold_days: 30, active: false }
const today = () => new Date().toISOString().slice(0, 10)
const period = () => ({ period_start: today(), period_end: today() })

/** Returns two operators of a new merchant who have existed for long enough to approve. */
function operators() {
  const merchant_id = newId('mrc')
  const operator = () => ({ ...operatorCaller('all', merchant_id), id: newId('usr', Date.now() - 73 * hour) })
  return { merchant_id, ana: operator(), luis: operator() }
}
type Operators = ReturnType<typeof operators>

const decide = (caller: Caller, id: string, word: 'approve' | 'reject', body?: object) =>
  call(caller, 'POST', `/api/approvals/${id}/${word}`, body)

/** Makes a call that has to be held, and returns its approval. */
async function held(caller: Caller, method: string, path: string, body?: object) {
  const answer = await call(caller, method, path, body)
  expect([method, path, answer.status, answer.body.data?.status]).toEqual([method, path, 202, 'pending'])
  return answer.body.data
}

/** Makes a call that is held, and approves it. Returns the id of what it made or changed. */
async function approved({ ana, luis }: Operators, ...request: [method: string, path: string, body?: object]) {
  const { id } = await held(ana, ...request)
  const { status, body } = await decide(luis, id, 'approve')
  expect([request, status, body.error]).toEqual([request, 200, undefined])
  return body.data.target_id as string
}

/** Returns all that a merchant has, but for its approvals. */
async function rowsOf(merchant_id: Id<'mrc'>) {
  const tables = ['transactions', 'fee_rules', 'rolling_reserves', 'settlements', 'ledger_entries', 'ledger_positions']
  const rows = tables.map(table =>
    service.database.query(`select * from transactions.${table} where merchant_id = $1 order by 1`, [merchant_id]),
  )
  return Promise.all(rows)
}
const eventsOf = (merchant_id: string) => tap.messages.filter(message => message.merchant_id === merchant_id)

/** A call that needs an approval: what it needs before, and what it changes. */
interface Held {
  prepare?: (both: Operators) => Promise<string>
  request: (id: string) => [method: string, path: string, body?: object]
  event: string
}

const enter = async (both: Operators, body: object) =>
  approved(both, 'POST', '/api/transactions', { ...large, ...body })
const settleable = async (both: Operators) => {
  const config = { frequency: 'daily', delay_days: 0 }
  expect((await call(both.ana, 'POST', '/api/settlement-config', config)).status).toBe(201)
  return enter(both, { captured_at: new Date(Date.now() - 60_000).toISOString() })
}

/** What is due matures in transactions of its own, also before a settlement that is held or rejected. */
const mature = ({ merchant_id }: Operators) => {
  const ledger = { merchant_id, currency: 'MXN' } as const
  return inLedgerBatches(db.writeSeparately, { ledger, day: today() }, maturePositions, () => false)
}

const heldCalls: [string, Held][] = [
  ['createTransaction', { request: () => ['POST', '/api/transactions', large], event: 'payment.approved' }],
  [
    'updateTransaction',
    {
      prepare: both => enter(both, { status: 'pending' }),
      request: id => ['PUT', `/api/transactions/${id}`, { status: 'approved' }],
      event: 'payment.approved',
    },
  ],
  [
    'deleteTransaction',
    {
      prepare: both => enter(both, {}),
      request: id => ['DELETE', `/api/transactions/${id}`],
      event: 'transaction.deleted',
    },
  ],
  [
    'createSettlement',
    {
      prepare: async both => {
        const id = await settleable(both)
        await mature(both)
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
        await settleable(both)
        return approved(both, 'POST', '/api/settlements', period())
      },
      request: id => ['PUT', `/api/settlements/${id}`, { status: 'paid', reference: 'SPEI 1' }],
      event: 'settlement.paid',
    },
  ],
  ['createFeeRule', { request: () => ['POST', '/api/fee-rules', { name: 'Tarifa' }], event: 'fee_rule.created' }],
  [
    'updateFeeRule',
    {
      prepare: both => approved(both, 'POST', '/api/fee-rules', { name: 'Tarifa' }),
      request: id => ['PUT', `/api/fee-rules/${id}`, { percent_bps: 290 }],
      event: 'fee_rule.updated',
    },
  ],
  [
    'deleteFeeRule',
    {
      prepare: both => approved(both, 'POST', '/api/fee-rules', { name: 'Tarifa' }),
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
      prepare: both => approved(both, 'POST', '/api/rolling-reserve', reserve),
      request: id => ['PUT', `/api/rolling-reserve/${id}`, { hold_days: 31 }],
      event: 'rolling_reserve.updated',
    },
  ],
  [
    'deleteRollingReserve',
    {
      prepare: both => approved(both, 'POST', '/api/rolling-reserve', reserve),
      request: id => ['DELETE', `/api/rolling-reserve/${id}`],
      event: 'rolling_reserve.deleted',
    },
  ],
]

test.each(heldCalls)('%s changes nothing until a second operator approves it', async (operation, one) => {
  const both = operators()
  const { ana, luis, merchant_id } = both
  const id = (await one.prepare?.(both)) ?? ''
  const before = await rowsOf(merchant_id)
  const [method, path, body] = one.request(id)
  const pending = await held(ana, method, path, body)
  expect(pending).toMatchObject({ merchant_id, operation, requested_by: ana.id, body: body ?? null, target_id: null })
  expect(Date.parse(pending.lapses_at) - Date.parse(pending.created_at)).toBe(72 * hour)
  expect(await rowsOf(merchant_id)).toEqual(before)
  await waitFor(() => eventsOf(merchant_id).some(({ target_id }) => target_id === pending.id))
  const seen = eventsOf(merchant_id).length

  const { status, body: answer } = await decide(luis, pending.id, 'approve')
  expect([status, answer.error]).toEqual([200, undefined])
  const decided = { ...pending, status: 'approved', decided_by: luis.id, decided_at: expect.any(String) }
  expect(answer.data).toEqual({ ...decided, target_id: expect.any(String) })
  expect(await rowsOf(merchant_id)).not.toEqual(before)
  const news = await waitFor(() => {
    const since = eventsOf(merchant_id).slice(seen)
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
  expect((await decide(luis, pending.id, 'approve')).status).toBe(409)
  expect((await decide(luis, pending.id, 'reject')).status).toBe(409)
  expect(await checkLedger(db)).toMatchObject({ ok: true })
})

test.each([
  ['a transaction', 'POST', '/api/transactions', sale],
  ['a pending transaction', 'POST', '/api/transactions', { ...sale, status: 'pending' }],
] as const)('%s up to the limit needs no approval', async (_what, method, path, body) => {
  const { ana } = operators()
  const { status, body: answer } = await call(ana, method, path, body)
  expect([status, answer.data.amount_cents]).toEqual([201, limitCents])
  expect((await call(ana, 'DELETE', `${path}/${answer.data.id}`)).status).toBe(200)
})

test('what moves no money out needs no approval: a cancelled transaction, a failed or deleted settlement, a reference', async () => {
  const both = operators()
  const { ana } = both
  const pending = await enter(both, { status: 'pending' })
  expect((await call(ana, 'PUT', `/api/transactions/${pending}`, { reference: 'A-1' })).status).toBe(200)
  expect((await call(ana, 'PUT', `/api/transactions/${pending}`, { status: 'cancelled' })).status).toBe(200)
  await settleable(both)
  const first = await approved(both, 'POST', '/api/settlements', period())
  expect((await call(ana, 'PUT', `/api/settlements/${first}`, { reference: 'SPEI 1' })).status).toBe(200)
  expect((await call(ana, 'PUT', `/api/settlements/${first}`, { status: 'failed' })).status).toBe(200)
  const second = await approved(both, 'POST', '/api/settlements', period())
  expect((await call(ana, 'DELETE', `/api/settlements/${second}`)).status).toBe(200)
})

test('a held settlement has its net as the amount', async () => {
  const both = operators()
  await settleable(both)
  const pending = await held(both.ana, 'POST', '/api/settlements', period())
  expect(pending).toMatchObject({ amount_cents: limitCents + 1, currency: 'MXN' })
})

test('a call that would fail is rejected at once, without an approval', async () => {
  const { ana, merchant_id } = operators()
  const answers = [
    await call(ana, 'POST', '/api/fee-rules', {}),
    await call(ana, 'POST', '/api/transactions', { ...large, currency: 'EUR' }),
    await call(ana, 'PUT', `/api/fee-rules/${newId('fee')}`, { priority: 1 }),
    await call(clientCaller(merchant_id), 'POST', '/api/fee-rules', { name: 'Tarifa' }),
    await call(keyCaller(merchant_id), 'POST', '/api/transactions', large),
    await call(ana, 'POST', '/api/settlements', period()),
  ]
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 404, 403, 403, 409])
  expect((await call(ana, 'GET', '/api/approvals')).body.count).toBe(0)
})

test('the operator who made a call can neither approve nor reject it', async () => {
  const { ana, luis } = operators()
  const { id } = await held(ana, 'POST', '/api/fee-rules', { name: 'Tarifa' })
  for (const word of ['approve', 'reject'] as const) {
    const { status, body } = await decide(ana, id, word)
    expect([status, body.error]).toEqual([403, expect.stringContaining('another operator')])
  }
  expect((await call(luis, 'GET', `/api/approvals/${id}`)).body.data.status).toBe('pending')
})

test('only an operator of the merchant with the access to money decides, with a fresh login', async () => {
  const { ana, luis, merchant_id } = operators()
  const { id } = await held(ana, 'POST', '/api/fee-rules', { name: 'Tarifa' })
  const others: Caller[] = [
    keyCaller(merchant_id),
    clientCaller(merchant_id),
    operators().luis,
    { ...luis, access: 'support' },
    { ...luis, access: 'auditor' },
    { ...luis, access: 'finance', auth_time: Math.floor(Date.now() / 1000) - 3_600 },
  ]
  for (const caller of others) expect((await decide(caller, id, 'approve')).status).toBe(403)
  expect((await decide({ ...luis, access: 'finance' }, id, 'approve')).status).toBe(200)
})

test('a user that is new, or whose credentials someone else has changed, cannot approve', async () => {
  const { ana, luis } = operators()
  const { id } = await held(ana, 'POST', '/api/fee-rules', { name: 'Tarifa' })
  const young = [
    { ...luis, id: newId('usr', Date.now() - 71 * hour) },
    { ...luis, credentials_since: Date.now() / 1000 - 71 * 3_600 },
  ]
  for (const caller of young) {
    const { status, body } = await decide(caller, id, 'approve')
    expect([status, body.error]).toEqual([403, expect.stringContaining('older than 72 hours')])
  }
  expect((await decide(luis, id, 'approve')).status).toBe(200)
})

test('fifty approvals at once carry out the call once', async () => {
  const { ana, luis, merchant_id } = operators()
  const { id } = await held(ana, 'POST', '/api/transactions', large)
  expect(await statusesOfFifty(luis, id)).toEqual({ 200: 1, 409: 49 })
  const [transactions] = await rowsOf(merchant_id)
  expect(transactions).toHaveLength(1)
  await waitFor(() => eventsOf(merchant_id).some(({ name }) => name === 'approval.approved'))
  expect(eventsOf(merchant_id).map(({ name }) => name)).toEqual([
    'approval.requested',
    'payment.approved',
    'approval.approved',
  ])
})

test('fifty approvals at once make one settlement', async () => {
  const both = operators()
  await settleable(both)
  const { id } = await held(both.ana, 'POST', '/api/settlements', period())
  expect(await statusesOfFifty(both.luis, id)).toEqual({ 200: 1, 409: 49 })
  expect((await rowsOf(both.merchant_id))[3]).toHaveLength(1)
  expect(await checkLedger(db)).toMatchObject({ ok: true })
})

test('approvals that have to wait leave connections to other calls', async () => {
  const all: { luis: Caller; id: string }[] = []
  // More than the service has connections.
  for (let i = 0; i < 20; i++) {
    const { ana, luis } = operators()
    const { id } = await held(ana, 'POST', '/api/rolling-reserve', reserve)
    all.push({ luis, id })
  }
  const { query } = service.database
  const waiting = () =>
    query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
  const { approvals, read } = await db.write(async tx => {
    await tx.execute('lock table transactions.rolling_reserves in exclusive mode')
    const approvals = all.map(({ luis, id }) => decide(luis, id, 'approve'))
    await waitFor(async () => (await waiting()).length >= 4)
    return { approvals, read: await call(operators().ana, 'GET', '/api/transactions') }
  })
  expect(read.status).toBe(200)
  expect((await Promise.all(approvals)).map(({ status }) => status)).toEqual(all.map(() => 200))
})

/** Approves fifty times at once. Returns how many answers have each status. */
async function statusesOfFifty(caller: Caller, id: string) {
  const answers = await Promise.all(Array.from({ length: 50 }, () => decide(caller, id, 'approve')))
  return Object.fromEntries([...Map.groupBy(answers, one => one.status)].map(([status, all]) => [status, all.length]))
}

test('an approval and a rejection at once have one outcome', async () => {
  const { ana, luis, merchant_id } = operators()
  for (let round = 0; round < 5; round++) {
    const { id } = await held(ana, 'POST', '/api/fee-rules', { name: `Tarifa ${round}` })
    const answers = await Promise.all([decide(luis, id, 'approve'), decide(luis, id, 'reject')])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const { status } = (await call(luis, 'GET', `/api/approvals/${id}`)).body.data
    const [, rules] = await rowsOf(merchant_id)
    expect(rules?.some(({ name }) => name === `Tarifa ${round}`)).toBe(status === 'approved')
  }
})

test('a rejected call has no effect, and keeps who rejected it and why', async () => {
  const { ana, luis, merchant_id } = operators()
  const { id } = await held(ana, 'POST', '/api/fee-rules', { name: 'Tarifa' })
  const { status, body } = await decide(luis, id, 'reject', { reason: 'Wrong merchant' })
  expect([status, body.data]).toEqual([
    200,
    expect.objectContaining({ status: 'rejected', decided_by: luis.id, reason: 'Wrong merchant', target_id: null }),
  ])
  expect((await decide(luis, id, 'approve')).status).toBe(409)
  const rejected = await waitFor(() => eventsOf(merchant_id).find(({ name }) => name === 'approval.rejected'))
  expect(rejected).toMatchObject({ target_id: id, actor: { id: luis.id }, data: { reason: 'Wrong merchant' } })
  expect((await rowsOf(merchant_id)).flat()).toEqual([])
})

test('an approval is stored, also of a call that clears the entity manager, as large settlements do', async () => {
  const { ana, luis } = operators()
  const { id } = await held(ana, 'POST', '/api/fee-rules', { name: 'Tarifa' })
  const answer = { status: 201, body: JSON.stringify({ data: { id: newId('fee') } }) }
  const clearing = async () => {
    await db.write(async tx => tx.clear())
    return answer
  }
  const routes = new Map([
    ['createFeeRule', { operation: feeRules.operations.create, accept: () => ({ answer: clearing, body: undefined }) }],
  ])
  const incoming = { request: {} as IncomingCall['request'], caller: luis, idempotencyId: undefined }
  await approveCall({ db, approverAgeMs: 0, routes }, incoming, id)
  expect((await call(luis, 'GET', `/api/approvals/${id}`)).body.data).toMatchObject({
    status: 'approved',
    decided_by: luis.id,
  })
})

test('a call that fails at its approval leaves it pending and changes nothing', async () => {
  const both = operators()
  const { ana, luis, merchant_id } = both
  const rule = await approved(both, 'POST', '/api/fee-rules', { name: 'Tarifa' })
  const change = await held(ana, 'PUT', `/api/fee-rules/${rule}`, { priority: 1 })
  await approved(both, 'DELETE', `/api/fee-rules/${rule}`)
  expect((await decide(luis, change.id, 'approve')).status).toBe(404)

  const active = { ...reserve, active: true }
  const [first, second] = [
    await held(ana, 'POST', '/api/rolling-reserve', active),
    await held(ana, 'POST', '/api/rolling-reserve', active),
  ]
  expect((await decide(luis, first.id, 'approve')).status).toBe(200)
  const refused = await decide(luis, second.id, 'approve')
  expect([refused.status, refused.body.error]).toEqual([409, expect.stringContaining('another rolling reserve')])

  for (const { id } of [change, second])
    expect((await call(luis, 'GET', `/api/approvals/${id}`)).body.data).toMatchObject({ status: 'pending' })
  expect((await rowsOf(merchant_id))[2]).toHaveLength(1)
})

test('a settlement that would pay out more than the approver saw is not approved', async () => {
  const both = operators()
  const { ana, luis } = both
  await settleable(both)
  const seen = await held(ana, 'POST', '/api/settlements', period())
  const captured_at = new Date(Date.now() - 60_000).toISOString()
  expect((await call(ana, 'POST', '/api/transactions', { ...sale, captured_at })).status).toBe(201)
  const refused = await decide(luis, seen.id, 'approve')
  expect([refused.status, refused.body.error]).toEqual([
    409,
    expect.stringContaining(`the amount is now ${2 * limitCents + 1}`),
  ])
  expect((await rowsOf(both.merchant_id))[3]).toEqual([])
  expect((await decide(luis, seen.id, 'reject')).status).toBe(200)
})

test('an approval lapses after 72 hours, and cannot be approved from then on', async () => {
  const { ana, luis, merchant_id } = operators()
  const { id } = await held(ana, 'POST', '/api/fee-rules', { name: 'Tarifa' })
  expect(await lapseApprovals(db)).toBe(false)
  await service.database.query(`update transactions.approvals set lapses_at = now() where id = $1`, [id])
  const late = await decide(luis, id, 'approve')
  expect([late.status, late.body.error]).toEqual([409, expect.stringContaining('lapsed')])
  await Promise.all(Array.from({ length: 4 }, () => lapseApprovals(db)))
  expect((await call(luis, 'GET', `/api/approvals/${id}`)).body.data).toMatchObject({
    status: 'lapsed',
    decided_by: null,
  })
  const lapses = () => eventsOf(merchant_id).filter(({ name }) => name === 'approval.lapsed')
  await waitFor(() => lapses().length > 0)
  expect(lapses()).toEqual([expect.objectContaining({ target_id: id, actor: { type: 'system', id: null } })])
  expect((await rowsOf(merchant_id)).flat()).toEqual([])
})

test('the same Idempotency-Key returns the same approval, and a repeated approval the same decision', async () => {
  const { ana, luis, merchant_id } = operators()
  const create = () => call(ana, 'POST', '/api/transactions', large, { 'idempotency-key': 'once' })
  const [first, second] = [await create(), await create()]
  expect([first.status, second.status, second.body]).toEqual([202, 202, first.body])
  const approve = () =>
    call(luis, 'POST', `/api/approvals/${first.body.data.id}/approve`, undefined, { 'idempotency-key': 'yes' })
  const [decided, again] = [await approve(), await approve()]
  expect([decided.status, again.status, again.body]).toEqual([200, 200, decided.body])
  expect((await rowsOf(merchant_id))[0]).toHaveLength(1)
  // The call that needs no approval keeps its key, too.
  const small = () => call(ana, 'POST', '/api/transactions', sale, { 'idempotency-key': 'small' })
  const [made, repeated] = [await small(), await small()]
  expect([made.status, repeated.body]).toEqual([201, made.body])
})

test('lists show the approvals of the merchants in the scope of an operator', async () => {
  const { ana, luis, merchant_id } = operators()
  const [first, second] = [
    await held(ana, 'POST', '/api/fee-rules', { name: 'A' }),
    await held(ana, 'POST', '/api/transactions', large),
  ]
  await decide(luis, first.id, 'reject')
  const ids = async (caller: Caller, query = '') =>
    (await call(caller, 'GET', `/api/approvals${query}`)).body.data.map(({ id }: { id: string }) => id)
  expect(await ids(luis)).toEqual([second.id, first.id])
  expect(await ids(luis, '?status=pending')).toEqual([second.id])
  expect(await ids(luis, '?operation=createFeeRule&status=pending,rejected')).toEqual([first.id])
  expect(await ids(operatorCaller([merchant_id]))).toEqual([second.id, first.id])
  expect(await ids(operatorCaller([newId('mrc')]))).toEqual([])
  expect((await call(clientCaller(merchant_id), 'GET', '/api/approvals')).status).toBe(403)
  expect((await call(operators().luis, 'GET', `/api/approvals/${first.id}`)).status).toBe(403)
})

test('the database role cannot delete approvals or change what was called', async () => {
  const { ana } = operators()
  const { id } = await held(ana, 'POST', '/api/fee-rules', { name: 'Tarifa' })
  const denied = [
    'delete from transactions.approvals where id = ?',
    `update transactions.approvals set requested_by = 'usr_1' where id = ?`,
    `update transactions.approvals set operation = 'deleteFeeRule' where id = ?`,
  ]
  for (const sql of denied) await expect(db.execute(sql, [id])).rejects.toThrow('permission denied')
})

test('what is pending can still be decided after dual control was turned off', async () => {
  const { ana, luis, merchant_id } = operators()
  const off = await transactionsUnderTest('http://127.0.0.1:9', { APPROVER_AGE_HOURS: 72 })
  try {
    const { id } = await held(ana, 'POST', '/api/fee-rules', { name: 'Tarifa' })
    const [row] = await service.database.query('select * from transactions.approvals where id = $1', [id])
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
