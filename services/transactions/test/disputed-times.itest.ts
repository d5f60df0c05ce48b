import { newId } from '@cobro/contracts'
import { type Database, migrate, openDatabase } from '@cobro/database'
import { keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { readPages, seedTransactions, waitFor } from '@cobro/testing'
import { migrations } from '../migrations/all-transactions.ts'
import { entities } from '../src/entities.ts'
import { serviceCalls } from './service-calls.ts'
import { transactionsUnderTest } from './transactions-service.ts'

let service: Awaited<ReturnType<typeof transactionsUnderTest>>
let db: Database
beforeAll(async () => {
  // These tests don't call the acquirer.
  service = await transactionsUnderTest('http://127.0.0.1:9')
  db = openDatabase({ url: service.database.url('transactions'), schema: 'transactions', entities })
})
afterAll(async () => {
  await db?.close()
  await service?.stop()
})

const call = serviceCalls(() => service)
const march = 'from=2026-03-01&to=2026-03-31'

/** A merchant whose payments are made and disputed as a test wants. */
function merchantWithDisputes() {
  const merchant = newId('mrc')
  const operator = operatorCaller('all', merchant)
  const paid = async (amount_cents: number): Promise<string> => {
    const input = { rail: 'online_cnp', payment_method: 'card', amount_cents }
    const { status, body } = await call(operator, 'POST', '/api/transactions', input)
    expect(status).toBe(201)
    return body.data.id
  }
  return {
    merchant,
    operator,
    paid,
    /** Stores a dispute as a replica of the release before does, which does not know the column. */
    disputed: (id: string, openedAt: string) =>
      service.database.query(
        `insert into transactions.disputes (id, merchant_id, correlation_id, transaction_id, amount_cents, currency, reason, status,
           opened_at, created_at, updated_at, acquirer_reference)
         select $2, merchant_id, correlation_id, id, amount_cents, currency, 'fraud', 'lost', $3, now(), now(), $2
         from transactions.transactions where id = $1`,
        [id, newId('dsp'), openedAt],
      ),
    /** Returns the amounts of the payments by when they were disputed, the latest first. */
    listed: async (query = '') => {
      const path = `/api/transactions?limit=1&time=disputed_at&${query}`
      const get = async (page: string) =>
        fetch(service.url + page, { headers: await service.headers(keyCaller(merchant)) })
      return (await readPages(get, path)).map(({ amount_cents }) => amount_cents)
    },
    chargebacks: async () => {
      const { body } = await call(keyCaller(merchant), 'GET', `/api/reports/payments?${march}`)
      return body.data.totals.chargebacks
    },
  }
}

test('payments are listed by when they were disputed, as the report counts them', async () => {
  const { paid, disputed, listed, chargebacks } = merchantWithDisputes()
  await paid(100)
  await disputed(await paid(101), '2026-02-28T23:59:59Z')
  await disputed(await paid(102), '2026-03-31T23:59:59Z')
  await disputed(await paid(103), '2026-03-01T00:00:00Z')
  const again = await paid(104)
  await disputed(again, '2026-04-02T00:00:00Z')
  await disputed(again, '2026-03-02T00:00:00Z')
  expect(await listed()).toEqual([104, 102, 103, 101])
  expect(await listed('dir=asc')).toEqual([101, 103, 102, 104])
  expect(await listed(march)).toEqual([102, 103])
  // It counts every dispute, and the list has each payment at its latest one.
  expect(await chargebacks()).toBe(3)
  await service.database.query(
    `update transactions.disputes set deleted_at = now() where transaction_id = $1 and opened_at > '2026-04-01'`,
    [again],
  )
  expect(await listed(march)).toEqual([102, 104, 103])
  expect(await chargebacks()).toBe(3)
})

test('a dispute that an operator opens lists its payment, and one that is withdrawn does not', async () => {
  const { operator, paid, listed } = merchantWithDisputes()
  const transaction_id = await paid(100)
  const { status, body } = await call(operator, 'POST', '/api/disputes', { transaction_id, reason: 'fraudulent' })
  expect(status).toBe(201)
  expect(await listed('status=chargeback')).toEqual([100])
  await call(operator, 'PUT', `/api/transactions/${transaction_id}`, { reference: 'A-1' })
  expect(await listed('reference=A-1')).toEqual([100])
  expect((await call(operator, 'DELETE', `/api/disputes/${body.data.id}`)).status).toBe(200)
  expect(await listed()).toEqual([])
})

/** Runs the migration once more, as the migrate command does. */
async function fillAgain(): Promise<void> {
  await service.database.query(`delete from transactions.migrations where name = '0027-fill-disputed-transactions'`)
  await migrate({ url: service.database.migratorUrl, schema: 'transactions', migrations })
}

test('the migration fills the times of earlier disputes, and leaves those that a trigger has set', async () => {
  const { paid, disputed, listed } = merchantWithDisputes()
  const [early, late] = [await paid(100), await paid(101)]
  for (const day of ['2026-03-01', '2026-03-05']) await disputed(early, `${day}T00:00:00Z`)
  await disputed(late, '2026-03-03T00:00:00Z')
  const set = (id: string, at: string | null) =>
    service.database.query('update transactions.transactions set disputed_at = $2 where id = $1', [id, at])
  await set(early, null)
  await set(late, '2026-03-09T00:00:00Z')
  expect(await listed()).toEqual([101])
  for (let run = 0; run < 2; run++) {
    await fillAgain()
    expect(await listed()).toEqual([101, 100])
    expect(await listed('from=2026-03-05&to=2026-03-05')).toEqual([100])
  }
})

test('the migration fills more payments than it locks at once', async () => {
  const { query } = service.database
  const { merchant } = merchantWithDisputes()
  await seedTransactions(query, { merchant, rows: 1_200, merchantRows: 1_200 })
  await query(
    `insert into transactions.disputes (id, merchant_id, correlation_id, transaction_id, amount_cents, currency, reason, status,
       opened_at, created_at, updated_at, acquirer_reference)
     select 'dsp' || id, merchant_id, correlation_id, id, 1, currency, 'fraud', 'lost', '2026-03-01', now(), now(), id
     from transactions.transactions where merchant_id = $1`,
    [merchant],
  )
  await query('update transactions.transactions set disputed_at = null where merchant_id = $1', [merchant])
  await fillAgain()
  const filled = 'select count(disputed_at)::integer as count from transactions.transactions where merchant_id = $1'
  expect(await query(filled, [merchant])).toEqual([{ count: 1_200 }])
})

test('the migration does not bring back a dispute that is withdrawn while it waits for its payment', async () => {
  const { query } = service.database
  const { paid, disputed, listed } = merchantWithDisputes()
  const id = await paid(100)
  await disputed(id, '2026-03-01T00:00:00Z')
  await query('update transactions.transactions set disputed_at = null where id = $1', [id])
  const isWaiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const filling = await db.write(async tx => {
    await tx.execute('update transactions.disputes set deleted_at = now() where transaction_id = ?', [id])
    const running = fillAgain()
    await waitFor(async () => (await query(isWaiting)).length > 0)
    return { running }
  })
  await filling.running
  expect(await listed()).toEqual([])
})
