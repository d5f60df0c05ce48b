import { type CommandData, newId } from '@cobro/contracts'
import { type Database, migrate, openDatabase } from '@cobro/database'
import { createLogger } from '@cobro/runtime'
import { type TestDatabase, testDatabase } from '@cobro/testing'
import { migrations } from '../migrations/all-transactions.ts'
import { checkRefunds } from '../src/refunds/check-refunds.ts'
import { RefundEntity } from '../src/refunds/refund-entity.ts'
import { settleRefund } from '../src/refunds/settle-refund.ts'
import { startRefund } from '../src/refunds/start-refund.ts'
import { entities } from '../src/start-transactions.ts'
import { checkPending } from '../src/transactions/check-pending.ts'
import { resolvePayment } from '../src/transactions/resolve-payment.ts'
import { lockTransaction, settleTransaction } from '../src/transactions/settle-transaction.ts'
import { TransactionEntity } from '../src/transactions/transaction-entity.ts'
import { endVouchers } from '../src/vouchers/end-vouchers.ts'
import { requestVoucher } from '../src/vouchers/request-voucher.ts'
import { settleVoucher, type VoucherNews } from '../src/vouchers/settle-voucher.ts'
import { aVoucher, scriptedAcquirer, voucherCommand } from './scripted-acquirer.ts'

const logger = createLogger('transactions', 'silent')
let database: TestDatabase
let db: Database
beforeAll(async () => {
  database = await testDatabase({ schemas: ['transactions'] })
  await migrate({ url: database.migratorUrl, schema: 'transactions', migrations })
  db = openDatabase({ url: database.url('transactions'), schema: 'transactions', entities })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})
// What a test leaves due is none of the next one's.
afterEach(async () => {
  await db.read(em => em.execute('update transactions.transactions set next_check_at = null'))
  await db.read(em => em.execute('update transactions.refunds set next_check_at = null'))
})

type Command = CommandData<'payment.voucher'>

const rowOf = async ({ payment_intent_id }: Pick<Command, 'payment_intent_id'>) => {
  const row = await db.read(em => em.findOne(TransactionEntity, { payment_intent_id }))
  if (!row) throw new Error('There is no such transaction.')
  return row
}
const lateOf = (id: string) => db.read(em => em.find(TransactionEntity, { late_payment_of: id }))
const refundsOf = (transaction_id: string) =>
  db.read(em => em.find(RefundEntity, { transaction_id }, { orderBy: { id: 'asc' } }))
const eventsOf = async ({ correlation_id }: Pick<Command, 'correlation_id'>) =>
  (
    await db.read(em =>
      em.execute<{ name: string }[]>('select name from transactions.outbox where correlation_id = ? order by id', [
        correlation_id,
      ]),
    )
  ).map(row => row.name)
const due = (table: 'transactions' | 'refunds', id: string, olderBy = '0 seconds') =>
  db.read(em =>
    em.execute(
      `update transactions.${table} set next_check_at = now() - interval '1 second',
         created_at = created_at - interval '${olderBy}'
         ${table === 'refunds' ? `, asked_at = asked_at - interval '${olderBy}'` : ''} where id = ?`,
      [id],
    ),
  )
const settle = (id: string, news: VoucherNews) => db.write((tx, emit) => settleVoucher(tx, emit, id, news))
const end = (command: Command, move: 'expire' | 'cancel') =>
  db.write((tx, emit) => endVouchers(tx, emit, { id: command.payable_id } as never, move))

/** A voucher that is out. */
async function issued(change: Partial<Command> = {}) {
  const command = voucherCommand(change)
  const voucher = aVoucher()
  const { acquirer } = scriptedAcquirer({ voucher })
  const answer = await requestVoucher({ db, acquirer }, command)
  return { command, voucher, answer, row: await rowOf(command) }
}

describe('issuing', () => {
  test('a voucher that was issued is told once, and the same to a command that comes again', async () => {
    const command = voucherCommand({ concept: 'x'.repeat(200) })
    const { acquirer, requests } = scriptedAcquirer({ voucher: aVoucher({ reference: '93100' }) })
    const answer = await requestVoucher({ db, acquirer }, command)
    const row = await rowOf(command)
    expect(row).toMatchObject({ status: 'pending', payment_method: 'cash', voucher_reference: '93100' })
    expect(requests).toEqual([
      {
        key: `${command.payment_intent_id}:1`,
        amount_cents: 25_000,
        currency: 'MXN',
        due_at: row.voucher_due_at,
        concept: 'x'.repeat(120),
      },
    ])
    expect(answer.data).toMatchObject({
      status: 'pending',
      transaction_id: row.id,
      voucher: { reference: '93100', due_at: row.voucher_due_at?.toISOString() },
    })
    const again = await requestVoucher({ db, acquirer: scriptedAcquirer({}).acquirer }, command)
    expect([again.id, again.data]).toEqual([answer.id, answer.data])
    expect(await eventsOf(command)).toEqual(['payment.pending', 'payment_attempt.settled'])
  })

  test('twenty deliveries at once ask for one voucher', async () => {
    const command = voucherCommand()
    const voucher = aVoucher()
    const { acquirer, asked } = scriptedAcquirer({ voucher, findVoucher: voucher })
    await Promise.all(Array.from({ length: 20 }, () => requestVoucher({ db, acquirer }, command)))
    expect(asked.filter(line => line.startsWith('voucher'))).toHaveLength(1)
    expect(await eventsOf(command)).toEqual(['payment.pending', 'payment_attempt.settled'])
  })

  test('a command past its deadline asks for none', async () => {
    const command = voucherCommand({ deadline: new Date(0) })
    const answer = await requestVoucher({ db, acquirer: scriptedAcquirer({}).acquirer }, command)
    expect(answer.data).toMatchObject({ status: 'failed', voucher: null })
  })

  test('none that the acquirer refuses is out', async () => {
    const command = voucherCommand()
    const { acquirer } = scriptedAcquirer({ voucher: { status: 'failed' } })
    expect((await requestVoucher({ db, acquirer }, command)).data).toMatchObject({ status: 'failed' })
    expect(await eventsOf(command)).toEqual(['payment.failed', 'payment_attempt.settled'])
  })

  test.each([
    ['another amount', { amount_cents: 25_001 }],
    ['another currency', { currency: 'USD' }],
  ])('one over %s is shown to nobody, and its money is not taken for ours', async (_what, other) => {
    const command = voucherCommand()
    const issuing = requestVoucher({ db, acquirer: scriptedAcquirer({ voucher: aVoucher(other) }).acquirer }, command)
    await expect(issuing).rejects.toThrow('its voucher over')
    const { id } = await rowOf(command)
    await expect(settle(id, aVoucher({ ...other, status: 'paid' }))).rejects.toThrow('its voucher over')
    expect(await rowOf(command)).toMatchObject({ status: 'pending', voucher_reference: null, captured_at: null })
    expect(await eventsOf(command)).toEqual([])
  })

  test('a reference that the acquirer uses again is that of either voucher', async () => {
    const { voucher } = await issued()
    const command = voucherCommand()
    await requestVoucher({ db, acquirer: scriptedAcquirer({ voucher }).acquirer }, command)
    expect(await rowOf(command)).toMatchObject({ status: 'pending', voucher_reference: voucher.reference })
  })

  test('one that nobody knows of is asked about, and withdrawn a minute later', async () => {
    const command = voucherCommand()
    const unclear = scriptedAcquirer({ voucher: { status: 'not_found' } })
    expect((await requestVoucher({ db, acquirer: unclear.acquirer }, command)).name).toBe('payment_attempt.pending')
    const { id } = await rowOf(command)
    await due('transactions', id)
    await checkPending({ db, acquirer: scriptedAcquirer({ findVoucher: { status: 'not_found' } }).acquirer }, logger)
    expect(await rowOf(command)).toMatchObject({ status: 'pending', voucher_reference: null })
    await due('transactions', id, '2 minutes')
    const gone = { findVoucher: { status: 'not_found' }, withdrawVoucher: { status: 'reversed' } } as const
    await checkPending({ db, acquirer: scriptedAcquirer(gone).acquirer }, logger)
    expect(await rowOf(command)).toMatchObject({ status: 'failed', next_check_at: null })
  })

  test('one that has been out for hours stays out when the acquirer does not find it for once', async () => {
    const { command, row } = await issued()
    await due('transactions', row.id, '9 hours')
    const lagging = scriptedAcquirer({ findVoucher: { status: 'not_found' }, withdrawVoucher: { status: 'reversed' } })
    await checkPending({ db, acquirer: lagging.acquirer }, logger)
    expect(lagging.asked).toEqual([`findVoucher ${command.payment_intent_id}:1`])
    const { status, next_check_at } = await rowOf(command)
    expect(status).toBe('pending')
    expect(next_check_at?.getTime()).toBeLessThan(Date.now() + 30_000)
  })

  test('one that nobody knew of turns out to be out when checkout asks', async () => {
    const command = voucherCommand()
    await requestVoucher({ db, acquirer: scriptedAcquirer({ voucher: { status: 'processing' } }).acquirer }, command)
    const { concept: _concept, deadline: _deadline, ...attempt } = command
    await resolvePayment({ db, acquirer: scriptedAcquirer({ findVoucher: aVoucher() }).acquirer }, attempt)
    expect(await eventsOf(command)).toEqual(['payment.pending', 'payment_attempt.settled'])
  })
})

describe('paying', () => {
  test('a voucher that was paid is an approved payment, told once', async () => {
    const { command, voucher, row } = await issued()
    const paid = { ...voucher, status: 'paid' as const, paid_at: new Date() }
    await settle(row.id, paid)
    await settle(row.id, paid)
    // News from before the money change nothing.
    await settle(row.id, { ...voucher, status: 'expired' })
    await settle(row.id, voucher)
    expect(await rowOf(command)).toMatchObject({ status: 'approved', captured_at: expect.any(Date) })
    expect((await eventsOf(command)).slice(2)).toEqual(['payment.approved', 'payment_attempt.settled'])
  })

  test('a voucher that expired ends its payment, and no merchant is told by us', async () => {
    const { command, voucher, row } = await issued()
    await settle(row.id, { ...voucher, status: 'expired' })
    expect(await rowOf(command)).toMatchObject({ status: 'expired' })
    expect((await eventsOf(command)).slice(2)).toEqual(['payment_attempt.settled'])
  })

  test('a voucher whose session was cancelled is withdrawn, until the acquirer says that it is', async () => {
    const { command, voucher, row } = await issued()
    await end(command, 'cancel')
    expect((await eventsOf(command)).slice(2)).toEqual(['payment_attempt.settled'])
    const away = scriptedAcquirer({ withdrawVoucher: { status: 'processing' } })
    await checkPending({ db, acquirer: away.acquirer }, logger)
    expect(await rowOf(command)).toMatchObject({ status: 'cancelled', next_check_at: expect.any(Date) })
    await due('transactions', row.id)
    const back = scriptedAcquirer({ withdrawVoucher: { ...voucher, status: 'withdrawn' } })
    await checkPending({ db, acquirer: back.acquirer }, logger)
    expect(back.asked).toEqual([`withdrawVoucher ${command.payment_intent_id}:1`])
    expect(await rowOf(command)).toMatchObject({ status: 'cancelled', next_check_at: null })
    expect(await lateOf(row.id)).toEqual([])
  })

  test.each(['expire', 'cancel'] as const)(
    'money that came before the %s is kept as such and given back',
    async move => {
      const { command, voucher, row } = await issued()
      await settle(row.id, { ...voucher, status: 'paid' })
      await end(command, move)
      await end(command, move)
      expect(await rowOf(command)).toMatchObject({ status: 'approved', refund_status: 'processing' })
      expect(await refundsOf(row.id)).toMatchObject([{ payment_key: `${command.payment_intent_id}:1`, owed: true }])
      expect((await eventsOf(command)).slice(4)).toEqual(['payment.duplicate'])
    },
  )

  test('a payment and a cancel at the same time lose no money and book none twice', async () => {
    for (let i = 0; i < 10; i++) {
      const { command, voucher, row } = await issued()
      await Promise.all([settle(row.id, { ...voucher, status: 'paid' }), end(command, 'cancel')])
      const refunded = [...(await refundsOf(row.id))]
      for (const late of await lateOf(row.id)) refunded.push(...(await refundsOf(late.id)))
      expect(refunded).toMatchObject([{ payment_key: `${command.payment_intent_id}:1`, amount_cents: 25_000 }])
      expect((await eventsOf(command)).filter(name => name === 'payment.duplicate')).toHaveLength(1)
    }
  })
})

describe('money that came late', () => {
  test('is a payment of its own, given back, however often and by whatever road it is told', async () => {
    const { command, voucher, row } = await issued()
    await end(command, 'expire')
    const paid = { ...voucher, status: 'paid' as const }
    await Promise.all([settle(row.id, paid), settle(row.id, paid)])
    await due('transactions', row.id)
    await checkPending({ db, acquirer: scriptedAcquirer({ withdrawVoucher: paid }).acquirer }, logger)
    const [late, ...more] = await lateOf(row.id)
    expect(more).toEqual([])
    expect(late).toMatchObject({
      status: 'approved',
      payment_method: 'cash',
      metadata: { plan: 'gold', late_payment_of: row.id },
      refund_status: 'processing',
    })
    expect(late?.payment_intent_id).not.toBe(command.payment_intent_id)
    expect(await rowOf(command)).toMatchObject({ status: 'expired', next_check_at: null })
    expect((await eventsOf(command)).slice(3)).toEqual(['payment.duplicate'])
    const { acquirer, requests } = scriptedAcquirer({ refund: { status: 'completed', acquirer_reference: 'rf' } })
    await checkRefunds({ db, acquirer }, logger)
    expect(requests).toEqual([
      { key: late?.refund_id, voucher_key: `${command.payment_intent_id}:1`, amount_cents: 25_000, currency: 'MXN' },
    ])
    expect(await lateOf(row.id)).toMatchObject([{ status: 'refunded', refund_status: 'completed' }])
  })

  test('says what it is even where its metadata is full', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`key_${at}`, at]))
    const { command, voucher, row } = await issued({ metadata })
    await end(command, 'expire')
    await settle(row.id, { ...voucher, status: 'paid' })
    expect(await lateOf(row.id)).toMatchObject([{ metadata: { late_payment_of: row.id } }])
  })

  test('a card that is approved after its reversal is treated alike', async () => {
    const command = voucherCommand({ payment_method: 'card', deadline: new Date(0) })
    const { concept: _concept, deadline: _deadline, ...attempt } = command
    await resolvePayment({ db, acquirer: scriptedAcquirer({}).acquirer }, attempt)
    const { id } = await rowOf(command)
    const approved = { status: 'approved', acquirer_reference: 'ch', risk_score: 3 } as const
    for (let i = 0; i < 2; i++) await db.write((tx, emit) => settleTransaction(tx, emit, id, approved))
    const [late] = await lateOf(id)
    expect(late).toMatchObject({ payment_method: 'card', acquirer_reference: 'ch' })
    const { acquirer, requests } = scriptedAcquirer({ refund: { status: 'processing', acquirer_reference: 'rf' } })
    await checkRefunds({ db, acquirer }, logger)
    expect(requests).toMatchObject([{ charge_key: `${command.payment_intent_id}:1` }])
  })
})

describe('refunds', () => {
  async function refunding(owed: boolean) {
    const { command, voucher, row } = await issued()
    await settle(row.id, { ...voucher, status: 'paid' })
    const refund = await db.write(async tx => startRefund(tx, await lockTransaction(tx, row.id), { owed }))
    return { command, id: row.id, refund }
  }
  const news = (id: string, told: Parameters<typeof settleRefund>[2]) =>
    db.write((tx, emit) => settleRefund({ tx, emit, logger }, id, told))

  test('one is asked for once under its key, and confirmed once', async () => {
    const { command, id, refund } = await refunding(false)
    const first = scriptedAcquirer({ refund: { status: 'processing', acquirer_reference: 'rf' } })
    await Promise.all([1, 2].map(() => checkRefunds({ db, acquirer: first.acquirer }, logger)))
    expect(first.asked).toEqual([`refund ${refund.id}`])
    await due('refunds', refund.id)
    const completed = { status: 'completed', acquirer_reference: 'rf' } as const
    const second = scriptedAcquirer({ findRefund: completed })
    await checkRefunds({ db, acquirer: second.acquirer }, logger)
    await news(refund.id, completed)
    expect(await rowOf(command)).toMatchObject({ status: 'refunded', refund_status: 'completed' })
    expect((await eventsOf(command)).filter(name => name === 'payment.refunded')).toHaveLength(1)
    await expect(news(refund.id, { ...completed, status: 'failed' })).rejects.toThrow('is completed')
    expect(await refundsOf(id)).toMatchObject([{ status: 'completed', next_check_at: null }])
  })

  test('one that was cut off is asked about and reversed a minute later, never asked for twice', async () => {
    const { command, id, refund } = await refunding(false)
    await checkRefunds({ db, acquirer: scriptedAcquirer({}).acquirer }, logger)
    await due('refunds', refund.id, '2 minutes')
    const gone = { findRefund: { status: 'not_found' }, reverseRefund: { status: 'reversed' } } as const
    const { acquirer, asked } = scriptedAcquirer(gone)
    await checkRefunds({ db, acquirer }, logger)
    expect(asked).toEqual([`findRefund ${refund.id}`, `reverseRefund ${refund.id}`])
    expect(await rowOf(command)).toMatchObject({ status: 'approved', refund_status: 'failed' })
    expect(await refundsOf(id)).toMatchObject([{ status: 'failed' }])
  })

  test('what is owed is tried again under another key after a technical failure', async () => {
    const { command, id, refund } = await refunding(true)
    await news(refund.id, { status: 'failed', acquirer_reference: null, failure_reason: null })
    const [failed, next] = await refundsOf(id)
    expect([failed?.status, next?.status]).toEqual(['failed', 'processing'])
    expect(next?.next_check_at?.getTime()).toBeGreaterThan(Date.now() + 3_000)
    expect(await rowOf(command)).toMatchObject({ refund_status: 'processing', refund_id: next?.id })
  })

  test('what is owed and cannot be given back by the acquirer is marked for a transfer by hand', async () => {
    const { command, id, refund } = await refunding(true)
    const { acquirer } = scriptedAcquirer({
      refund: { status: 'failed', acquirer_reference: null, failure_reason: 'unsupported' },
    })
    await checkRefunds({ db, acquirer }, logger)
    expect(await rowOf(command)).toMatchObject({ status: 'approved', refund_status: 'processing' })
    expect(await refundsOf(id)).toMatchObject([{ id: refund.id, by_hand: true, next_check_at: null }])
  })

  test('the database refuses a second one', async () => {
    const { id } = await refunding(false)
    const second = db.write(async tx => startRefund(tx, await lockTransaction(tx, id), { owed: false }))
    await expect(second).rejects.toThrow('refunds_live')
  })
})

test('ended payments of other sessions are left alone', async () => {
  const { command } = await issued()
  await end({ ...command, payable_id: newId('cs') }, 'cancel')
  expect(await rowOf(command)).toMatchObject({ status: 'pending' })
})
