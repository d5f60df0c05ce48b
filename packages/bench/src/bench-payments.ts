import { stackServiceNames } from '@cobro/local-stack'
import { type BenchRun, print } from './bench-stack.ts'
import { countMessages } from './count-messages.ts'
import { allStatements, countPayments } from './count-payments.ts'
import { type Measurements, measurePayments } from './measure-payments.ts'
import { makeWholePayments, type PaymentLoad, warmUp } from './payer.ts'
import { cobroSide, floorSide, type PaymentsRun, type Side, startPaymentsRun } from './payment-sides.ts'
import { printLine, printRatio, ratioColumns } from './print-measurements.ts'
import { reportProfile } from './profile-report.ts'
import { takeTurns, whileStopped } from './take-turns.ts'

const concurrencies = [1, 8, 16, 64]
const rounds = 3
const roundSeconds = 6
/** At the start of each turn, and not measured: idle connections were closed, and new ones plan their statements again. */
const runInSeconds = 3
const counted = { concurrent: 16, seconds: 4 }
const profileSeconds = 15

interface Options extends BenchRun {
  /** Whether to profile the services at 16 at once and print where their time goes, instead of measuring. */
  profile: boolean
}

/**
 * Measures whole payments: a session created and paid by card, with a webhook endpoint for every
 * event, until all webhooks are received. Cobro takes turns with the floor on the same servers: other programs with the
 * same hops, rows, queues and commits, and nothing else.
 */
export async function benchPayments(options: Options): Promise<void> {
  if (options.profile) return profilePayments(options)
  const run = await startPaymentsRun(options)
  const cobro = await cobroSide(run)
  print('\nCobro: warming up')
  await make(run, cobro, warmUp)
  // It inserts the rows of one of these payments.
  const floor = await floorSide(run)
  print('the floor: warming up')
  await whileStopped([cobro.own], () => make(run, floor, warmUp))
  for (const concurrent of concurrencies) {
    print(`\n${concurrent} at once: ${rounds} rounds of ${roundSeconds} s in turns`)
    const turns = [cobro, floor].map(side => ({ own: side.own, measure: () => measure(run, side, concurrent) }))
    printRounds(`${concurrent} at once`, await takeTurns(turns, rounds))
  }
  print('')
  const counts = [cobro, floor].map(side => ({ own: side.own, measure: () => countWork(run, side) }))
  printRounds(`counted at ${counted.concurrent} at once`, await takeTurns(counts, 1))
}

async function profilePayments(options: Options): Promise<void> {
  const run = await startPaymentsRun(options, stackServiceNames)
  const { system } = await cobroSide(run)
  const until = { received: run.receiver.received, signal: run.signal }
  await makeWholePayments(system, warmUp, until)
  const fromUs = Number(process.hrtime.bigint() / 1000n)
  await makeWholePayments(system, { ...counted, seconds: profileSeconds }, until)
  for (const service of stackServiceNames) await reportProfile(run.bench, service, fromUs)
}

const make = ({ receiver, signal }: PaymentsRun, { system }: Side, load: PaymentLoad) =>
  makeWholePayments(system, load, { received: receiver.received, signal })

async function measure(run: PaymentsRun, side: Side, concurrent: number): Promise<Measurements> {
  await make(run, side, { concurrent, seconds: runInSeconds })
  const { bench, receiver, servers, signal } = run
  const measured = { ...side, servers, pool: bench.pool, received: receiver.received, signal }
  return measurePayments(measured, { concurrent, seconds: roundSeconds })
}

/** Returns how many statements and messages a payment takes. */
async function countWork(run: PaymentsRun, side: Side): Promise<Measurements> {
  const { system, exchanges } = side
  await make(run, side, { concurrent: counted.concurrent, seconds: 1 })
  const { result, messages } = await countMessages({ url: run.bench.stack.stack.amqp_url, exchanges }, () =>
    countPayments(run, system, counted),
  )
  const measurements: Measurements = new Map([['messages each', messages / result.payments]])
  measurements.set('statements each', allStatements(result))
  for (const [application, count] of Object.entries(result.statements))
    measurements.set(`  of ${application.slice(application.indexOf('-') + 1)}`, count)
  return measurements
}

/** Prints the rounds of Cobro and of the floor. */
function printRounds(title: string, [cobro = [], floor = []]: Measurements[][]): void {
  printLine(title, ratioColumns)
  const of = (side: Measurements[], name: string) => side.map(measured => measured.get(name) ?? Number.NaN)
  for (const name of cobro[0]?.keys() ?? []) printRatio(name, of(cobro, name), of(floor, name))
}
