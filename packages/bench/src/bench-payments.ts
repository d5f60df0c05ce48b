import { stackServiceNames } from '@cobro/local-stack'
import { type BenchRun, print } from './bench-stack.ts'
import { countMessages } from './count-messages.ts'
import { allStatements, countPayments } from './count-payments.ts'
import type { Measurements } from './measure-payments.ts'
import { makeWholePayments, warmUp } from './payer.ts'
import { postponeCheckpoints } from './payment-costs.ts'
import { cobroSide, floorSide, type PaymentsRun, type Side, startPaymentsRun } from './payment-sides.ts'
import { make, paymentTurn, printRounds } from './payment-turns.ts'
import { reportProfile } from './profile-report.ts'
import { takeTurns, whileStopped } from './take-turns.ts'

const concurrencies = [1, 8, 16, 64]
const rounds = 3
const roundSeconds = 6
const names: [string, string] = ['Cobro', 'floor']
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
  await postponeCheckpoints(run.bench.pool)
  const cobro = await cobroSide(run)
  print('\nCobro: warming up')
  await make(run, cobro, warmUp)
  // It inserts the rows of one of these payments.
  const floor = await floorSide(run)
  print('the floor: warming up')
  await whileStopped([cobro.own], () => make(run, floor, warmUp))
  for (const concurrent of concurrencies) {
    print(`\n${concurrent} at once: ${rounds} rounds of ${roundSeconds} s in turns`)
    const turns = [cobro, floor].map(side => paymentTurn(run, side, { concurrent, seconds: roundSeconds }))
    printRounds(`${concurrent} at once`, names, await takeTurns(turns, rounds))
  }
  print('')
  const counts = [cobro, floor].map(side => ({ own: side.own, measure: () => countWork(run, side) }))
  printRounds(`counted at ${counted.concurrent} at once`, names, await takeTurns(counts, 1))
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

/** Returns how many statements and messages a payment takes. */
async function countWork(run: PaymentsRun, side: Side): Promise<Measurements> {
  const { system, messages: ofSide } = side
  await make(run, side, { concurrent: counted.concurrent, seconds: 1 })
  const { result, messages } = await countMessages({ url: run.bench.stack.stack.amqp_url, counted: ofSide }, () =>
    countPayments(run, system, counted),
  )
  const measurements: Measurements = new Map([['messages each', messages / result.payments]])
  measurements.set('statements each', allStatements(result))
  for (const [application, count] of Object.entries(result.statements))
    measurements.set(`  of ${application.slice(application.indexOf('-') + 1)}`, count)
  return measurements
}
