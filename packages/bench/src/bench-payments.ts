import { stackServiceNames } from '@cobro/local-stack'
import { type BenchRun, print } from './bench-stack.ts'
import { countMessages } from './count-messages.ts'
import { allStatements, countPayments } from './count-payments.ts'
import { type Measurements, measurePayments } from './measure-payments.ts'
import { makeWholePayments, warmUp } from './payer.ts'
import { cobroSide, floorSide, type PaymentsRun, type Side, startPaymentsRun } from './payment-sides.ts'
import { printLine, printRatio } from './print-measurements.ts'
import { reportProfile } from './profile-report.ts'

const concurrencies = [1, 8, 16, 64]
const roundSeconds = 15
const counted = { concurrent: 16, seconds: 4 }

interface Options extends BenchRun {
  /** Whether to profile the services at 16 at once and print where their time goes, instead of measuring. */
  profile: boolean
}

/**
 * Measures whole payments: a session created and paid by card, with a webhook endpoint for every
 * event, until all webhooks are received. First through Cobro, then through the floor on the same servers: other
 * programs with the same hops, rows, queues and commits, and nothing else.
 */
export async function benchPayments(options: Options): Promise<void> {
  if (options.profile) return profilePayments(options)
  const run = await startPaymentsRun(options)
  const cobro = await measureSide(run, await cobroSide(run))
  printMeasurements(cobro, await measureSide(run, await floorSide(run)))
}

async function profilePayments(options: Options): Promise<void> {
  const run = await startPaymentsRun(options, stackServiceNames)
  const { system } = await cobroSide(run)
  const until = { received: run.receiver.received, signal: run.signal }
  await makeWholePayments(system, warmUp, until)
  const fromUs = Number(process.hrtime.bigint() / 1000n)
  await makeWholePayments(system, { ...counted, seconds: roundSeconds }, until)
  for (const service of stackServiceNames) await reportProfile(run.bench, service, fromUs)
}

/** Returns the measurements of a side for each concurrency, with the counts of statements and messages at 16. */
async function measureSide(run: PaymentsRun, side: Side): Promise<Measurements[]> {
  const { bench, receiver, servers, signal } = run
  print(`\n${side.name}: warming up`)
  await makeWholePayments(side.system, warmUp, { received: receiver.received, signal })
  const all: Measurements[] = []
  for (const concurrent of concurrencies) {
    print(`${side.name}: ${concurrent} at once`)
    const measured = { ...side, servers, pool: bench.pool, received: receiver.received, signal }
    all.push(await measurePayments(measured, { concurrent, seconds: roundSeconds }))
  }
  const at16 = all[concurrencies.indexOf(counted.concurrent)]
  for (const [name, value] of await countWork(run, side)) at16?.set(name, value)
  return all
}

/** Returns how many statements and messages a payment takes. */
async function countWork(run: PaymentsRun, { system, exchanges }: Side): Promise<Measurements> {
  const { result, messages } = await countMessages({ url: run.bench.stack.stack.amqp_url, exchanges }, () =>
    countPayments(run, system, counted),
  )
  const measurements: Measurements = new Map([['messages each', messages / result.payments]])
  measurements.set('statements each', allStatements(result))
  for (const [application, count] of Object.entries(result.statements))
    measurements.set(`  of ${application.slice(application.indexOf('-') + 1)}`, count)
  return measurements
}

/** Prints the measurements of both sides, with their ratio. */
function printMeasurements(cobro: Measurements[], floor: Measurements[]): void {
  concurrencies.forEach((concurrent, at) => {
    print('')
    printLine(`${concurrent} at once`, ['Cobro', 'floor', 'ratio'])
    const [ours, theirs] = [cobro[at] ?? new Map(), floor[at] ?? new Map()]
    for (const name of ours.keys()) printRatio(name, ours.get(name), theirs.get(name))
  })
}
