import { lockRow } from '@cobro/database'
import { checkPendingPayments } from '../src/pending-payments/check-pending-payments.ts'
import { checkRefunds } from '../src/refunds/check-refunds.ts'
import { startRefund } from '../src/refunds/start-refund.ts'
import { TransactionEntity } from '../src/transactions/transaction-entity.ts'
import { db, logger, ownDatabase } from './cash-fixture.ts'
import { paymentRow } from './payment-row.ts'
import { scriptedAcquirer } from './scripted-acquirer.ts'

ownDatabase()

/** More rows than two claims take. */
const backlog = 120
/** A count after which the next check is a day away: a check may exceed the shortest delay. */
const check_count = 8
const overdue = (seconds: number) => new Date(Date.now() - seconds * 1_000)
const many = <T>(count: number, create: () => Promise<T>) => Promise.all(Array.from({ length: count }, create))
const pendingCharge = () => paymentRow(db, { status: 'pending', check_count, next_check_at: overdue(1) })
const noOutcome = {
  findCharge: { status: 'processing', acquirer_reference: null },
  withdrawVoucher: { status: 'processing' },
  refund: { status: 'processing', acquirer_reference: 'rf' },
} as const

test('one check queries the outcome of every due charge once', async () => {
  await many(backlog, pendingCharge)
  const { acquirer, calls } = scriptedAcquirer(noOutcome)
  await checkPendingPayments({ db, acquirer }, logger)
  expect([calls.length, new Set(calls).size]).toEqual([backlog, backlog])
})

test('one check requests every due refund once', async () => {
  await many(backlog, async () => {
    const { id } = await paymentRow(db)
    await db.write(async tx =>
      startRefund(tx, await lockRow(tx, TransactionEntity, id), { owed: true, checkCount: check_count }),
    )
  })
  const { acquirer, calls } = scriptedAcquirer(noOutcome)
  await checkRefunds({ db, acquirer }, logger)
  expect([calls.length, new Set(calls).size]).toEqual([backlog, backlog])
})

test('a charge with an unknown outcome is checked before vouchers that are waiting for withdrawal', async () => {
  const ended = { payment_method: 'cash', status: 'cancelled' } as const
  await many(backlog, () => paymentRow(db, { ...ended, next_check_at: overdue(60) }))
  const charge = await pendingCharge()
  const { acquirer, calls } = scriptedAcquirer(noOutcome)
  await checkPendingPayments({ db, acquirer }, logger)
  const position = calls.indexOf(`findCharge ${charge.payment_intent_id}:1`)
  expect(position).toBeGreaterThanOrEqual(0)
  expect(position).toBeLessThan(50)
})

test('a stopping service claims no more due payments', async () => {
  await many(backlog, pendingCharge)
  const stop = new AbortController()
  const { acquirer, calls } = scriptedAcquirer(noOutcome)
  const findCharge: typeof acquirer.findCharge = key => {
    stop.abort()
    return acquirer.findCharge(key)
  }
  await checkPendingPayments({ db, acquirer: { ...acquirer, findCharge }, stopping: stop.signal }, logger)
  expect(calls).toHaveLength(50)
})
