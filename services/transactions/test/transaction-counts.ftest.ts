import { newId, transactionOperations } from '@cobro/contracts'
import { type Database, openDatabase } from '@cobro/database'
import { keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { createLogger } from '@cobro/runtime'
import { entities } from '../src/entities.ts'
import { checkLedger } from '../src/ledger-check/check-ledger.ts'
import { deleteTransaction } from '../src/manual-transactions/delete-transaction.ts'
import { enterTransaction } from '../src/manual-transactions/enter-transaction.ts'
import { refundTransaction } from '../src/refunds/refund-transaction.ts'
import { foldCounts } from '../src/transactions/count-transactions.ts'
import { editTransaction } from '../src/transactions/edit-transaction.ts'
import { searchTransactions } from '../src/transactions/transaction-search.ts'
import { ledgerFixture } from './ledger-fixture.ts'

const logger = createLogger('transactions', 'silent')
const connections = 16
let world: Awaited<ReturnType<typeof ledgerFixture>>
let db: Database
beforeAll(async () => {
  world = await ledgerFixture()
  db = openDatabase({
    url: world.database.url('transactions'),
    schema: 'transactions',
    entities,
    poolSize: connections,
  })
})
afterAll(async () => {
  await db.close()
  await world.stop()
})

const listed = async (caller: Parameters<typeof searchTransactions>[1], text = '') => {
  const query = transactionOperations.list.query.parse(Object.fromEntries(new URLSearchParams(text)))
  return (await searchTransactions(db, caller, query)).count
}
const cardPayment = { rail: 'online_cnp', payment_method: 'card', currency: 'MXN', amount_cents: 100 } as const
const unfoldedCount = async () => {
  const [row] = await world.database.query('select count(*)::integer as n from transactions.transaction_count_changes')
  return row.n
}

/** Creates a transaction and, by `n`, changes its status, refunds it or deletes it (2 of 8). */
async function runLifecycle(operator: ReturnType<typeof operatorCaller>, n: number): Promise<void> {
  const { id } = await enterTransaction(db, operator, { ...cardPayment, status: n % 8 < 4 ? 'pending' : 'approved' })
  if (n % 8 === 1) await editTransaction(db, operator, id, { status: 'approved' })
  if (n % 8 === 2) await editTransaction(db, operator, id, { status: 'cancelled' })
  if (n % 8 === 5) await refundTransaction({ db, logger, supportRefundCents: 0, confirmedRefundCents: 0 }, operator, id)
  if (n % 8 === 3 || n % 8 === 6) await deleteTransaction(db, operator, id)
  if (n % 5 === 0) await foldCounts(db)
}

test('transaction counts are exact while payments are concurrently created, changed, refunded and deleted and counts are folded', async () => {
  const [one, other] = [newId('mrc'), newId('mrc')]
  const operators = [operatorCaller('all', one), operatorCaller('all', other)]
  const lifecycles = operators
    .flatMap(operator => Array.from({ length: 160 }, (_, n) => () => runLifecycle(operator, n)))
    .values()
  const worker = async () => {
    for (const one of lifecycles) await one()
  }
  await Promise.all(Array.from({ length: connections }, worker))
  await world.captured(other)
  const failed = db.write(async tx => {
    await tx.execute('update transactions.transactions set status = ? where merchant_id = ?', ['expired', one])
    throw new Error('nothing of this happens')
  })
  await expect(failed).rejects.toThrow('nothing of this')

  const look = async () => ({
    all: [await listed(operatorCaller('all')), await listed(operatorCaller('all'), 'status=approved')],
    one: [await listed(keyCaller(one)), await listed(operatorCaller([one]), 'status=approved')],
    two: [await listed(operatorCaller([one, other])), await listed(operatorCaller([])), await listed(keyCaller())],
    statuses: [
      await listed(keyCaller(one), 'status=pending&payment_method=card&rail=online_cnp&currency=MXN'),
      await listed(keyCaller(one), 'status=cancelled'),
      await listed(keyCaller(one), 'status=refunded'),
      await listed(keyCaller(one), 'status=refunded&currency=USD'),
    ],
  })
  const exact = { all: [241, 121], one: [120, 60], two: [241, 0, 0], statuses: [20, 20, 20, 0] }
  expect(await look()).toEqual(exact)
  expect(await checkLedger(db)).toMatchObject({ ok: true })
  await Promise.all([foldCounts(db), foldCounts(db), foldCounts(db)])
  expect(await unfoldedCount()).toBe(0)
  expect(await look()).toEqual(exact)
  expect(await checkLedger(db)).toMatchObject({ ok: true })
})

test('transaction counts include rows written directly in SQL, and the ledger check names a wrong count', async () => {
  const merchant = newId('mrc')
  for (const _each of [1, 2]) await world.pending(merchant)
  const [{ id }] = await world.database.query('select id from transactions.transactions where merchant_id = $1', [
    merchant,
  ])
  await world.database.query('delete from transactions.transactions where id = $1', [id])
  expect(await listed(keyCaller(merchant))).toBe(1)
  await foldCounts(db)
  await world.database.query('update transactions.transaction_counts set count = 5 where merchant_id = $1', [merchant])
  expect(await checkLedger(db, operatorCaller('all', merchant))).toMatchObject({
    ok: false,
    first_fault: { kind: 'count', id: merchant, expected: '1', found: '5' },
  })
  await world.database.query('update transactions.transaction_counts set count = 1 where merchant_id = $1', [merchant])
  expect(await checkLedger(db)).toMatchObject({ ok: true })
  const change = (by: number) =>
    world.database.query(
      `update transactions.transaction_counts_of_all set count = count + $1 where status = 'pending'`,
      [by],
    )
  await change(2)
  expect(await checkLedger(db, operatorCaller('all', merchant))).toMatchObject({ ok: true })
  const { first_fault } = await checkLedger(db)
  expect(first_fault).toMatchObject({ kind: 'count_of_all', id: 'pending card online_cnp MXN' })
  expect(Number(first_fault?.found)).toBe(Number(first_fault?.expected) + 2)
  await change(-2)
})

test('concurrent transactions of one merchant record their count changes without waiting for each other', async () => {
  const merchant = newId('mrc')
  const ids = [await world.pending(merchant), await world.pending(merchant)]
  await foldCounts(db)
  await db.write(async first => {
    await first.execute(`update transactions.transactions set status = 'failed' where id = ?`, [ids[0]])
    // With a shared counter this would wait for the open transaction.
    await db.write(second =>
      second.execute(`update transactions.transactions set status = 'failed' where id = ?`, [ids[1]]),
    )
    await foldCounts(db)
    expect(await listed(keyCaller(merchant), 'status=failed')).toBe(1)
  })
  expect(await listed(keyCaller(merchant), 'status=failed')).toBe(2)
})

test('thousands of changed transaction counts are folded in one pass, also on a connection that had few before', async () => {
  const url = world.database.url('transactions')
  const one = openDatabase({ url, schema: 'transactions', entities, poolSize: 1, statementTimeoutMs: 60_000 })
  const foldMs = async (merchants: number, by: number) => {
    await world.database.query(
      `insert into transactions.transaction_count_changes
       select 'mrc_' || n, 'pending', 'card', 'online_cnp', 'MXN', $2 from generate_series(1, $1) as n`,
      [merchants, by],
    )
    const startedAt = performance.now()
    await foldCounts(one)
    return performance.now() - startedAt
  }
  // The connection makes its plan while there are few changes.
  for (const by of [1, -1]) await foldMs(2, by)
  const addingMs: number[] = []
  const changingMs: number[] = []
  for (let round = 0; round < 5; round++) {
    addingMs.push(await foldMs(10_000, 1))
    changingMs.push(await foldMs(10_000, -1))
  }
  // A nested loop over all changes took fifty times as long. The shortest folds are compared: any may take longer while the
  // machine is short of processor time.
  expect(Math.min(...changingMs)).toBeLessThan(5 * Math.min(...addingMs))
  await one.close()
  expect([await unfoldedCount(), await checkLedger(db)]).toEqual([0, expect.objectContaining({ ok: true })])
})
