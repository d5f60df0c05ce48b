import { createLogger } from '@cobro/runtime'
import { migrate, migration } from '../src/migrate.ts'
import { type Difference, type ReconciledPeriod, reconcileDaily, reconciliationTable } from '../src/reconcile-daily.ts'
import { type BranchDatabase, branchDatabase, schema } from './branch-database.ts'

let world: BranchDatabase
beforeEach(async () => {
  world = await branchDatabase()
  const migrations = [migration('0002-reconciliation', reconciliationTable)]
  await migrate({ url: world.database.migratorUrl, schema, migrations })
})
afterEach(() => world.stop())

const logger = createLogger('transactions', 'silent')
const change = (what: string) => world.query(`update transactions.reconciliation set ${what}`)
const becomesDue = () => change('next_at = now()')
const stored = async () =>
  (
    await world.query(
      `select differences, extract(epoch from now() - checked_until)::float8 as age, extract(epoch from next_at - now())::float8 as due_in
       from transactions.reconciliation`,
    )
  )[0] as { differences: number; age: number; due_in: number }

type FindDifferences = (period: ReconciledPeriod) => AsyncIterable<Difference[]>
const run = (findDifferences: FindDifferences, stopping = new AbortController().signal, log = logger) =>
  reconcileDaily({ db: world.open(), logger: log, stopping }, findDifferences)
const finds = (...pages: Difference[][]) =>
  async function* () {
    yield* pages
  }
const difference = (id: string) => ({ kind: 'unpaid', id })

test('makes the first check due an hour after the migration, and counts its age from there', async () => {
  await run(() => {
    throw new Error('not due')
  })
  const { differences, age, due_in } = await stored()
  expect([differences, Math.round(age / 60), Math.round(due_in / 60)]).toEqual([0, 0, 60])
})

test('stores the number of differences, each counted and logged once, and is due again a day later', async () => {
  const lines: unknown[] = []
  const log = { ...logger, error: (line: object) => lines.push(line) } as never
  await becomesDue()
  await run(finds([difference('cs_1'), difference('cs_2')], [], [difference('cs_1')]), undefined, log)
  const { differences, age, due_in } = await stored()
  expect([differences, Math.round(age / 60), Math.round(due_in / 60)]).toEqual([2, 15, 24 * 60])
  expect(lines).toEqual([{ difference: difference('cs_1') }, { difference: difference('cs_2') }])
  await becomesDue()
  await run(finds([]))
  expect((await stored()).differences).toBe(0)
})

test('compares what changed since the newest finished check and in the day before, up to 15 minutes ago', async () => {
  await change(`next_at = now(), checked_until = now() - interval '5 days'`)
  let asked: ReconciledPeriod | undefined
  await run(async function* (period) {
    asked = period
    yield []
  })
  const hoursAgo = (time = '') => Math.round((Date.now() - Date.parse(time)) / 900_000) / 4
  expect([hoursAgo(asked?.from), hoursAgo(asked?.until)]).toEqual([6 * 24, 0.25])
})

test('is done by one replica', async () => {
  await becomesDue()
  let runs = 0
  const count = async function* () {
    runs += 1
    yield []
  }
  await Promise.all([run(count), run(count), run(count)])
  expect(runs).toBe(1)
})

test.each(['fails', 'is interrupted'])(
  'begins again within 15 minutes, with the same period, when it %s',
  async how => {
    await change(`next_at = now(), checked_until = now() - interval '2 days', differences = 3`)
    const stop = new AbortController()
    const done = run(async function* () {
      yield [difference('cs_1')]
      if (how === 'fails') throw new Error('no reply')
      stop.abort()
      yield []
    }, stop.signal)
    if (how === 'fails') await expect(done).rejects.toThrow('no reply')
    else await done
    const { differences, age, due_in } = await stored()
    expect([differences, Math.round(age / 3_600)]).toEqual([3, 48])
    expect(due_in).toBeGreaterThan(14 * 60)
    expect(due_in).toBeLessThan(16 * 60)
  },
)

test('extends its claim with each page, so that no other replica begins a check that takes long', async () => {
  await becomesDue()
  await run(async function* () {
    await change(`next_at = now() - interval '1 minute'`)
    yield []
    expect((await stored()).due_in).toBeGreaterThan(14 * 60)
  })
})

test('stops at a thousand differences', async () => {
  await becomesDue()
  const pages = Array.from({ length: 20 }, (_, page) =>
    Array.from({ length: 100 }, (_, row) => difference(`${page} ${row}`)),
  )
  await run(finds(...pages))
  expect((await stored()).differences).toBe(1_000)
})
