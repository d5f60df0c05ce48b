import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { newId } from '@cobro/contracts'
import { programEnv } from '@cobro/testing'
import { newestDay } from '../src/daily-run/daily-schedule.ts'
import { dayOf } from '../src/time/utc-days.ts'
import { ledgerFixture } from './ledger-fixture.ts'

let world: Awaited<ReturnType<typeof ledgerFixture>>
beforeAll(async () => {
  world = await ledgerFixture()
})
afterAll(() => world.stop())

const folder = join(import.meta.dirname, '..')

/** Runs a command of the service with only the database URL set, as an operator would. */
async function command(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { ...programEnv(), DATABASE_URL: world.database.url('transactions') }
  const nodeArgs = ['--conditions=cobro-source', 'src/main.ts', ...args]
  return promisify(execFile)(process.execPath, nodeArgs, { cwd: folder, env }).then(
    output => ({ code: 0, ...output }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}
const runs = () =>
  world.db.read(em => em.execute('select count(*)::integer as snapshots from transactions.balance_snapshots'))

test('the command daily runs a finished day any number of times', async () => {
  const merchant = newId('mrc')
  await world.captured(merchant)
  const yesterday = newestDay(new Date())
  for (const _again of [1, 2]) expect((await command('daily', '--date', yesterday)).code).toBe(0)
  expect(await runs()).toEqual([{ snapshots: 1 }])
  const noDay = 'expected a day as YYYY-MM-DD'
  for (const [date, why] of [
    [dayOf(new Date()), 'is not over yet'],
    ['2026-02-30', noDay],
    ['yesterday', noDay],
  ] as const) {
    const { code, stdout, stderr } = await command('daily', '--date', date)
    expect([date, code]).toEqual([date, 1])
    expect(stdout + stderr).toContain(why)
    expect(stdout + stderr).not.toContain('Zod')
  }
})

test('the command ledger-check succeeds without a discrepancy and names the first one otherwise', async () => {
  const id = await world.captured(newId('mrc'))
  const good = await command('ledger-check')
  expect([good.code, good.stdout]).toEqual([0, expect.stringContaining('"ok":true')])
  await world.db.read(em =>
    em.execute('update transactions.ledger_positions set pending_cents = 1 where transaction_id = ?', [id]),
  )
  const bad = await command('ledger-check')
  expect([bad.code, bad.stdout]).toEqual([1, expect.stringContaining(`"first_fault":{"kind":"position","id":"${id}"`)])
})

test('the command refund-transferred rejects everything but a manual refund that is due', async () => {
  for (const [args, why] of [
    [['rfd_none', '--by', 'Ana López'], 'rfd_none is not a refund that is waiting for a transfer'],
    [[], 'Expected the id of one refund'],
    [['rfd_none'], '--by: expected the name'],
    [['rfd_none', '--by', 'a'.repeat(101)], '--by: expected the name'],
    [['rfd_none', '--by', 'Ana 4242424242424242'], '--by: expected the name'],
  ] as const) {
    const { code, stdout, stderr } = await command('refund-transferred', ...args)
    expect([code, stdout + stderr]).toEqual([1, expect.stringContaining(why)])
  }
})
