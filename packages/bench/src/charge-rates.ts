import { setTimeout as sleep } from 'node:timers/promises'
import { type Id, newId } from '@cobro/contracts'
import type { Publisher } from '@cobro/messaging'
import type { Pool } from 'pg'
import { type BenchStack, print, publishMany } from './bench-stack.ts'
import { chargeCommand } from './charge-command.ts'
import { readChargeRows, writeByHand } from './hand-written-charges.ts'
import { measureConsumption } from './measure-consumption.ts'
import { median } from './median.ts'

interface Run extends BenchStack {
  charges: number
  publisher: Publisher
  signal: AbortSignal
}

/** The size of the service's connection pool. */
const connections = 16
const rounds = 3
const warmUp = 2_000
const waveSize = 1_000

/**
 * Compares charges (queue to commit, with ledger entries and events) with hand-written inserts.
 * The two alternate. Each round restarts the service with all commands queued; the first ones are a warm-up.
 */
export async function measureCharges(run: Run): Promise<void> {
  const { pool, charges } = run
  const merchant = await merchantWithRules(pool)
  const seen: { service: number; byHand: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const { perSecond: rate, cpuUs } = await chargeAll(run, merchant)
    const byHand = await writeByHand(pool, await readChargeRows(pool, merchant), { charges, connections })
    await untilPublished(pool)
    seen.push({ service: rate, byHand })
    print(
      `charges: service ${rate.toFixed(0)}/s (${cpuUs.toFixed(0)} µs of its processor time each), by hand ${byHand.toFixed(0)}/s, ratio ${(rate / byHand).toFixed(2)}`,
    )
  }
  const ratio = median(seen.map(({ service, byHand }) => service / byHand))
  print(`charges, median of ${rounds} rounds: ${ratio.toFixed(2)} of the same rows written by hand, aim: at least 0.60`)
}

/** Adds a fee and a reserve, so that a capture posts three entries. */
async function merchantWithRules(pool: Pool): Promise<Id<'mrc'>> {
  const merchant = newId('mrc')
  await pool.query(
    `insert into transactions.fee_rules (id, merchant_id, name, percent_bps, fixed_cents, tax_bps, priority, active, created_at, updated_at)
     values ($1, $2, 'all', 360, 0, 1600, 0, true, now(), now())`,
    [newId('fee'), merchant],
  )
  await pool.query(
    `insert into transactions.rolling_reserves (id, merchant_id, percent_bps, hold_days, active, currency, created_at, updated_at)
     values ($1, $2, 500, 30, true, 'MXN', now(), now())`,
    [newId('rsv'), merchant],
  )
  return merchant
}

async function chargeAll({ stack, pool, publisher, charges, signal }: Run, merchant: Id<'mrc'>) {
  const publish = (count: number) =>
    publishMany(
      publisher,
      'commands',
      Array.from({ length: count }, () => chargeCommand(merchant)),
    )
  const service = { service: stack.process('transactions'), publish, handled: () => approved(pool) }
  const measured = await measureConsumption({ ...service, signal, waveSize, total: charges + warmUp, warmUp })
  await untilPublished(pool)
  return measured
}

async function approved(pool: Pool): Promise<number> {
  const { rows } = await pool.query(
    `select coalesce(sum(count), 0) as count from transactions.transaction_totals where status = 'approved'`,
  )
  return Number(rows[0].count)
}

/** Waits until the outbox is empty, because publishing would slow down the next measurement. */
async function untilPublished(pool: Pool): Promise<void> {
  const isEmpty = async () => (await pool.query('select from transactions.outbox limit 1')).rows.length === 0
  while (!(await isEmpty())) await sleep(50)
}
