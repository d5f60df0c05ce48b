import { type Id, newId } from '@cobro/contracts'
import { operatorCaller } from '@cobro/http/test-identity'
import { createLogger } from '@cobro/runtime'
import { BalanceSnapshotEntity } from '../src/balance-snapshots/balance-snapshot-entity.ts'
import { newestDay } from '../src/daily-run/daily-schedule.ts'
import { runDay } from '../src/daily-run/run-day.ts'
import { runDueDays } from '../src/daily-run/run-due-days.ts'
import { LedgerPositionEntity } from '../src/ledger/ledger-entities.ts'
import { lockMerchantLedger } from '../src/ledger/merchant-ledgers.ts'
import { checkLedger } from '../src/ledger-check/check-ledger.ts'
import { collectEntries, releaseEntries } from '../src/settlements/collect-entries.ts'
import { settlePeriod } from '../src/settlements/settle-period.ts'
import { addDays, dayOf } from '../src/time/utc-days.ts'
import { ledgerFixture } from './ledger-fixture.ts'

const logger = createLogger('transactions', 'silent')
let today: string
beforeEach(() => {
  today = dayOf(new Date())
})
let world: Awaited<ReturnType<typeof ledgerFixture>>
beforeAll(async () => {
  world = await ledgerFixture()
})
afterAll(async () => {
  const checked = await checkLedger(world.db)
  await world.stop()
  expect(checked).toMatchObject({ ok: true, first_fault: null })
})

test('a ledger whose daily run fails delays neither other ledgers nor later days, and is retried', async () => {
  const [good, bad] = [newId('mrc'), newId('mrc')]
  for (const merchant of [good, bad]) await world.captured(merchant)
  const newest = newestDay(new Date())
  await world.database.query("insert into transactions.daily_runs values ($1, now(), now() - interval '1 day')", [
    addDays(newest, -2),
  ])
  const snapshots = (merchant_id: Id<'mrc'>) => world.db.read(em => em.count(BalanceSnapshotEntity, { merchant_id }))
  const failures = () =>
    world.database.query('select day::text, merchant_id, tries from transactions.daily_run_failures order by day')
  const [before, last] = [addDays(newest, -1), newest].map(day => ({ day, merchant_id: bad }))

  await world.database.query(
    `alter table transactions.balance_snapshots add constraint broken check (merchant_id <> '${bad}')`,
  )
  for (const _again of [1, 2]) await runDueDays({ db: world.db, logger })
  expect([await snapshots(good), await snapshots(bad)]).toEqual([2, 0])
  expect(await failures()).toMatchObject([
    { ...before, tries: 1 },
    { ...last, tries: 1 },
  ])
  await expect(runDay({ db: world.db, logger }, newest)).rejects.toThrow(`of ${newest} failed for 1 ledgers`)

  const due = "update transactions.daily_run_failures set next_try_at = now() - interval '1 second'"
  await world.database.query(due)
  await runDueDays({ db: world.db, logger })
  expect((await failures()).map(row => row.tries)).toEqual([2, 2])

  await world.database.query('alter table transactions.balance_snapshots drop constraint broken')
  await world.database.query(due)
  await Promise.all([1, 2].map(() => runDueDays({ db: world.db, logger })))
  expect([await failures(), await snapshots(bad)]).toEqual([[], 2])
})

test('a daily run that a stopping service interrupts is continued by the next replica at once', async () => {
  const merchants = Array.from({ length: 4 }, () => newId('mrc'))
  for (const merchant of merchants) await world.captured(merchant)
  const newest = newestDay(new Date())
  await world.database.query('delete from transactions.daily_runs where day = $1', [newest])
  const snapshotCount = () => world.db.read(em => em.count(BalanceSnapshotEntity, { merchant_id: { $in: merchants } }))
  const finished = async () =>
    (await world.database.query('select finished_at from transactions.daily_runs where day = $1', [newest]))[0]
      ?.finished_at
  const stop = new AbortController()
  // The service begins to stop between two steps of the run.
  let transactions = 0
  const write: typeof world.db.write = work => {
    transactions += 1
    if (transactions === 6) stop.abort()
    return world.db.write(work)
  }
  await runDueDays({ db: { ...world.db, write }, logger, stopping: stop.signal })
  expect(await finished()).toBeNull()
  expect(await snapshotCount()).toBeLessThan(4)
  expect(await world.database.query('select 1 from transactions.daily_run_failures')).toEqual([])
  await runDueDays({ db: world.db, logger })
  expect([await finished(), await snapshotCount()]).toEqual([expect.any(Date), 4])
})

test('a settlement is the same when its entries are collected and released in small batches', async () => {
  const merchant = newId('mrc')
  const ledger = { merchant_id: merchant, currency: 'MXN' }
  await world.settlementConfig(merchant, { delay_days: 0 })
  for (let i = 0; i < 5; i++) await world.captured(merchant)
  const settle = (limits: { maxTransactions: number; maturingMs: number }) =>
    settlePeriod(
      world.db,
      operatorCaller('all', merchant),
      { period_start: today, period_end: today, currency: 'MXN' },
      limits,
    )
  await expect(settle({ maxTransactions: 5, maturingMs: -1 })).rejects.toThrow('ask again')
  expect(await world.balances(merchant)).toMatchObject({ merchant_pending: 125_000n })
  await expect(settle({ maxTransactions: 4, maturingMs: 60_000 })).rejects.toThrow('more than 4 transactions are due')
  expect(await world.balances(merchant)).toMatchObject({ merchant_available: 125_000n })
  const { id } = await settle({ maxTransactions: 5, maturingMs: 60_000 })
  const unsettled = () => world.db.read(em => em.count(LedgerPositionEntity, { ...ledger, unsettled: true }))
  expect(await unsettled()).toBe(0)
  for (const atOnce of [2, 5, 7]) {
    await world.db.write(async tx => {
      await lockMerchantLedger({ tx, ledger })
      await releaseEntries(tx, id, atOnce)
      expect(await tx.count(LedgerPositionEntity, { ...ledger, unsettled: true })).toBe(5)
      expect(await collectEntries({ tx, ledger }, id, today, atOnce)).toMatchObject({
        net: 125_000n,
        transaction_count: 5,
      })
    })
    expect(await unsettled()).toBe(0)
  }
})
