import type { Pool } from 'pg'
import { tablesOfPayments } from './fill-tables.ts'
import { type Measurements, measurePayments } from './measure-payments.ts'
import { makeWholePayments, warmUp } from './payer.ts'
import type { PaymentsRun, Side } from './payment-sides.ts'

/** The tables whose rows are deleted or updated all the time, and never grow in number. */
const passingTables = [
  'checkout.checkout_hour_changes',
  'checkout.outbox',
  'transactions.outbox',
  'transactions.transaction_count_changes',
  'webhooks.attempt_hour_changes',
  'webhooks.feed_heads',
  'webhooks.jobs',
  'webhooks.lanes',
  'webhooks.outbox',
  'audit.tree_head',
]

interface SoakLoad {
  /** How many measurements follow one another. */
  windows: number
  secondsEach: number
}

const concurrent = 16
const capacity = { concurrent, seconds: 15 }
/** Less than all, or neighbours on the machine would look like growth. */
const shareOfCapacity = 0.5

/**
 * Makes payments at half the rate that the machine was measured to be able to, and returns the measurements of each window: those of
 * `measurePayments`, and how large the tables are.
 */
export async function soak(run: PaymentsRun, side: Side, { windows, secondsEach }: SoakLoad): Promise<Measurements[]> {
  const { bench, receiver, servers, signal } = run
  const measured = { ...side, servers, pool: bench.pool, received: receiver.received, signal }
  await makeWholePayments(side.system, warmUp, measured)
  const atMost = (await measurePayments(measured, capacity)).get('payments/s') ?? Number.NaN
  const load = { concurrent, seconds: secondsEach, perSecond: atMost * shareOfCapacity }
  const results: Measurements[] = []
  while (results.length < windows) {
    const result = await measurePayments(measured, load)
    results.push(new Map([...result, ...(await tableSizes(bench.pool))]))
  }
  return results
}

async function tableSizes(pool: Pool): Promise<Measurements> {
  const bytes = async (tables: string[]): Promise<number> => {
    const { rows } = await pool.query(
      `select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class
       where oid = any($1::regclass[]) or oid in (select inhrelid from pg_inherits where inhparent = any($1::regclass[]))`,
      [tables],
    )
    return rows[0].bytes
  }
  const { rows } = await pool.query('select count(*)::float8 as payments from checkout.checkout_sessions')
  return new Map([
    ['tables of passing rows, MiB', (await bytes(passingTables)) / 1024 ** 2],
    ['tables of kept rows, KiB each', (await bytes(tablesOfPayments)) / 1024 / rows[0].payments],
  ])
}
