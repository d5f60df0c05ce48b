import { newId } from '@cobro/contracts'
import { seedTransactions, type TestDatabase } from '@cobro/testing'
import { type BenchRun, print } from './bench-stack.ts'
import { allStatements, countPayments } from './count-payments.ts'
import { fillTables } from './fill-tables.ts'
import type { Measurements } from './measure-payments.ts'
import { warmUp } from './payer.ts'
import { cobroSide, type PaymentsRun, type Side, startPaymentsRun } from './payment-sides.ts'
import { make, paymentTurn, printRounds } from './payment-turns.ts'
import { takeTurns } from './take-turns.ts'

interface Options extends BenchRun {
  /** How many payments are in all tables of one side. */
  payments: number
  /** How many further rows are in its table of transactions. */
  rows: number
}

/** A system of its own, whose tables are almost empty or full. */
interface Measured {
  run: PaymentsRun
  side: Side
}

const load = { concurrent: 16, seconds: 8 }
const rounds = 5
const names: [string, string] = ['full', 'empty']
const counted = { concurrent: 16, seconds: 4 }

/** Measures whole payments with almost empty and with full tables. The two run beside each other and take turns. */
export async function benchFullTables(options: Options): Promise<void> {
  const { payments, rows } = options
  const empty = await start(options)
  const full = await start(options)
  print(`filling the tables with ${payments} payments, and ${rows} more transactions`)
  await fill(full, { payments, rows })
  // Full tables are new to PostgreSQL's cache and to the plans of the services. The other side is warmed up as often.
  for (const side of [empty, full]) await warm(side)
  const sides = [full, empty]
  const turns = sides.map(({ run, side }) => paymentTurn(run, side, load))
  const measured = await takeTurns(turns, rounds)
  const counts = sides.map(one => ({ own: one.side.own, measure: () => countStatements(one) }))
  print('')
  printRounds('', names, measured)
  printRounds('counted', names, await takeTurns(counts, 1))
}

async function start(options: Options): Promise<Measured> {
  const run = await startPaymentsRun(options)
  const measured = { run, side: await cobroSide(run) }
  await warm(measured)
  return measured
}

/** Fills the tables without triggers and foreign keys, which would take most of the time. Kept counts stay as they were. */
async function fill({ run }: Measured, { payments, rows }: { payments: number; rows: number }): Promise<void> {
  const client = await run.bench.pool.connect()
  const query: TestDatabase['query'] = async (sql, values) => (await client.query(sql, values)).rows
  try {
    await query('set session_replication_role = replica')
    await fillTables(query, payments)
    await seedTransactions(query, { merchant: newId('mrc'), rows, merchantRows: Math.floor(rows / 5) })
  } finally {
    // Ends the connection, and the setting with it.
    client.release(true)
  }
}

const warm = ({ run, side }: Measured) => make(run, side, warmUp)

const countStatements = async ({ run, side }: Measured): Promise<Measurements> =>
  new Map([['statements each', allStatements(await countPayments(run, side.system, counted))]])
