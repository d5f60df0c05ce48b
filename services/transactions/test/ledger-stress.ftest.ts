import { type DisputeStatus, type Id, newId } from '@cobro/contracts'
import { type Database, openDatabase } from '@cobro/database'
import { operatorCaller } from '@cobro/http/test-identity'
import { createLogger } from '@cobro/runtime'
import { LockMode } from '@mikro-orm/core'
import { takeSnapshot } from '../src/balance-snapshots/take-snapshot.ts'
import { runDay } from '../src/daily-run/run-day.ts'
import { changeDispute, openDispute, removeDispute } from '../src/disputes/change-dispute.ts'
import { DisputeEntity } from '../src/disputes/dispute-entity.ts'
import { entities } from '../src/entities.ts'
import { checkLedger } from '../src/ledger-check/check-ledger.ts'
import { deleteTransaction } from '../src/manual-transactions/delete-transaction.ts'
import { enterTransaction } from '../src/manual-transactions/enter-transaction.ts'
import { refundTransaction } from '../src/refunds/refund-transaction.ts'
import { SettlementEntity } from '../src/settlements/settlement-entity.ts'
import { settlementActions } from '../src/settlements/settlement-states.ts'
import { transitionSettlement } from '../src/settlements/transition-settlement.ts'
import { addDays, dayOf } from '../src/time/utc-days.ts'
import { ledgerFixture } from './ledger-fixture.ts'

const logger = createLogger('transactions', 'silent')
const operations = 1_000
const rounds = 5
const connections = 16
let world: Awaited<ReturnType<typeof ledgerFixture>>
let db: Database
beforeAll(async () => {
  world = await ledgerFixture()
  const url = world.database.url('transactions')
  db = openDatabase({ url, schema: 'transactions', entities, poolSize: connections })
})
afterAll(async () => {
  await db.close()
  await world.stop()
})

const today = dayOf(new Date())
const pick = <T>(from: readonly T[]) => from[Math.floor(Math.random() * from.length)] as T
const statuses: DisputeStatus[] = ['under_review', 'won', 'lost', 'accepted', 'expired']

const cardPayment = { rail: 'online_cnp', payment_method: 'card', currency: 'MXN', status: 'approved' } as const

/** Returns a random operation on a payment or its merchant. The service may reject it with 409. */
function chance(payments: { id: Id<'txn'>; merchant: Id<'mrc'> }[]): () => Promise<unknown> {
  const { id, merchant } = pick(payments)
  const operator = operatorCaller('all', merchant)
  const dispute = async () =>
    pick(await db.read(em => em.find(DisputeEntity, { merchant_id: merchant, deleted_at: null })))
  const settlement = async () => pick(await db.read(em => em.find(SettlementEntity, { merchant_id: merchant })))
  const changeOne = async () => {
    const found = await dispute()
    if (found) await changeDispute(db, operator, found.id, { status: pick(statuses) })
  }
  const endOne = async () => {
    const found = await settlement()
    if (!found) return
    await db.write(async (tx, emit) => {
      const row = await tx.findOneOrFail(SettlementEntity, { id: found.id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      await transitionSettlement({ tx, emit }, row, pick(settlementActions))
    })
  }
  const withdrawOne = async () => {
    const found = await dispute()
    if (found) await removeDispute(db, operator, found.id)
  }
  const enterOne = async () => {
    const captured_at = new Date(Date.now() - Math.floor(Math.random() * 5) * 86_400_000)
    const amount_cents = 1 + Math.floor(Math.random() * 1e6)
    const row = await enterTransaction(db, operator, { ...cardPayment, captured_at, amount_cents })
    payments.splice(Math.floor(Math.random() * payments.length), 1, { id: row.id, merchant })
  }
  return pick([
    () => refundTransaction({ db, logger, supportRefundCents: 0, confirmedRefundCents: 0 }, operator, id),
    () => openDispute(db, operator, { transaction_id: id, reason: 'fraudulent' }),
    ...[changeOne, changeOne, withdrawOne, endOne, endOne],
    () => deleteTransaction(db, operator, id),
    () => runDay({ db, logger }, addDays(today, -Math.floor(Math.random() * 4))),
    () => db.write((tx, emit) => takeSnapshot({ tx, emit, ledger: { merchant_id: merchant, currency: 'MXN' } })),
    ...[enterOne, enterOne, enterOne, enterOne],
    () => checkLedger(db),
  ])
}

test(`${operations} mixed operations over 20 payments from ${connections} connections, on ${rounds} days, leave a ledger without discrepancies`, async () => {
  const merchants = [newId('mrc'), newId('mrc')]
  for (const merchant of merchants) {
    await world.reserve(merchant, { hold_days: 2 })
    await world.feeRule(merchant)
    await world.settlementConfig(merchant)
  }
  const payments: { id: Id<'txn'>; merchant: Id<'mrc'> }[] = []
  for (let i = 0; i < 20; i++) {
    const merchant = pick(merchants)
    payments.push({ merchant, id: await world.captured(merchant, { payment_intent_id: null, attempt: null }) })
  }
  const refused: unknown[] = []
  for (let round = 0; round < rounds; round++) {
    let left = operations / rounds
    const worker = async () => {
      while (left-- > 0) await chance(payments)().catch(error => refused.push(error))
    }
    await Promise.all(Array.from({ length: connections }, worker))
    // The next daily runs may be of days before the day of the deletion.
    const captured_at = new Date(Date.now() - 3 * 86_400_000)
    const operator = operatorCaller('all', pick(merchants))
    const { id } = await enterTransaction(db, operator, { ...cardPayment, captured_at, amount_cents: 5_000 })
    await world.pass(1)
    await deleteTransaction(db, operator, id)
  }
  const codes = refused.map(error => (error as Error).message.split(':')[0])
  expect(codes.filter(code => code !== 'conflict' && code !== 'not_found')).toEqual([])
  expect(codes.length).toBeLessThan(operations * 0.6)
  const checked = await checkLedger(db)
  expect(checked).toMatchObject({ ok: true, first_fault: null })
  expect(checked.entries).toBeGreaterThan(200)
})
