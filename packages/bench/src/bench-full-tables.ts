import { newId } from '@cobro/contracts'
import { seedTransactions, type TestDatabase } from '@cobro/testing'
import { type BenchRun, print } from './bench-stack.ts'
import { allStatements, countPayments } from './count-payments.ts'
import { fillTables } from './fill-tables.ts'
import { type Measurements, measurePayments } from './measure-payments.ts'
import { median } from './median.ts'
import { makeWholePayments, warmUp } from './payer.ts'
import { cobroSide, type PaymentsRun, type Side, startPaymentsRun } from './payment-sides.ts'
import { printLine, shown } from './print-measurements.ts'

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

const round = { concurrent: 16, seconds: 10 }
const rounds = 5
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
  const results = { empty: [] as Measurements[], full: [] as Measurements[] }
  for (let number = 1; number <= rounds; number++) {
    print(`round ${number} of ${rounds}`)
    results.empty.push(await measure(empty))
    results.full.push(await measure(full))
  }
  printResults(results, { empty: await countStatements(empty), full: await countStatements(full) })
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

const warm = ({ run, side }: Measured) =>
  makeWholePayments(side.system, warmUp, { received: run.receiver.received, signal: run.signal })

function measure({ run, side }: Measured): Promise<Measurements> {
  const { bench, receiver, servers, signal } = run
  return measurePayments({ ...side, servers, pool: bench.pool, received: receiver.received, signal }, round)
}

const countStatements = async ({ run, side }: Measured): Promise<number> =>
  allStatements(await countPayments(run, side.system, counted))

function printResults(
  results: Record<'empty' | 'full', Measurements[]>,
  statements: Record<'empty' | 'full', number>,
): void {
  const line = (name: string, empty: number, full: number) => printLine(name, [empty, full, full / empty].map(shown))
  print('')
  printLine('', ['empty', 'full', 'ratio'])
  const middle = (side: Measurements[], name: string) => median(side.map(measured => measured.get(name) ?? Number.NaN))
  for (const name of results.empty[0]?.keys() ?? []) line(name, middle(results.empty, name), middle(results.full, name))
  line('statements each', statements.empty, statements.full)
}
