import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { newId } from '@cobro/contracts'
import { programEnv, waitFor } from '@cobro/testing'
import { checkLedger } from '../src/ledger-check/check-ledger.ts'
import { ledgerFixture } from './ledger-fixture.ts'

const rows = 6_000
let world: Awaited<ReturnType<typeof ledgerFixture>>
beforeAll(async () => {
  world = await ledgerFixture()
  const id = await world.captured(newId('mrc'), { payer_email: 'Ana@Example.com' })
  await world.database.query(
    `insert into transactions.transactions (id, merchant_id, type, correlation_id, rail, payment_method, status, amount_cents,
       currency, payer_email, metadata, created_at, updated_at)
     select 'txn_' || n, merchant_id, type, correlation_id, rail, payment_method, 'declined', 100, currency, payer_email,
       '{"to": "ana@example.com"}', created_at, updated_at
     from transactions.transactions, generate_series(2, ${rows}) as n where id = $1`,
    [id],
  )
})
afterAll(() => world.stop())

/** Starts the command as an operator does. */
function start() {
  const env = { ...programEnv(), DATABASE_URL: world.database.url('transactions'), LOG_LEVEL: 'warn' }
  const args = ['--conditions=cobro-source', 'src/main.ts', 'payer-erase', 'ana@example.com', '--by', 'Ana']
  return spawn(process.execPath, args, {
    cwd: join(import.meta.dirname, '..'),
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}
const left = async () =>
  (
    await world.database.query(
      'select count(*)::integer as count from transactions.transactions where payer_email is not null',
    )
  )[0].count
const recorded = async () =>
  (
    await world.database.query(
      `select coalesce(sum((convert_from(body, 'UTF8')::jsonb -> 'data' ->> 'transactions')::integer), 0)::integer as sum
       from transactions.outbox`,
    )
  )[0].sum

test('an erasure that is killed again and again is continued, and every batch is recorded', async () => {
  for (const erased of [200, 1_000, 3_000]) {
    const killed = start()
    await waitFor(async () => rows - (await left()) >= erased, { intervalMs: 5 })
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    // PostgreSQL may still commit what it had received.
    await waitFor(async () => {
      const [before, sum] = [await left(), await recorded()]
      return sum === rows - before && before === (await left())
    })
  }
  const remaining = await left()
  expect(remaining).toBeGreaterThan(0)
  const last = start()
  const [stdout] = await Promise.all([text(last.stdout), once(last, 'exit')])
  expect(JSON.parse(stdout)).toEqual({
    erased: { transactions: remaining, disputes: 0, approvals: 0 },
    // The event of the capture has the address, and none of the records of the runs.
    ...{ waiting: 0, unpublished: 1 },
  })
  expect([await left(), await recorded()]).toEqual([0, rows])
  const kept = await world.database.query(
    `select 1 from transactions.transactions where metadata::text like '%ana@%' or search_text like '%ana@%'
       or array_to_string(metadata_terms, ' ') like '%ana@%'`,
  )
  expect(kept).toEqual([])
  expect(await checkLedger(world.db)).toMatchObject({ ok: true })
})
