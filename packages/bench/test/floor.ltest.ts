import { setTimeout as sleep } from 'node:timers/promises'
import { withCleanup } from '../src/bench-stack.ts'
import { allStatements, countPayments } from '../src/count-payments.ts'
import { makePayments, untilSteady } from '../src/payer.ts'
import { statisticsDelayMs } from '../src/payment-costs.ts'
import { cobroSide, floorSide, startPaymentsRun } from '../src/payment-sides.ts'
import { whileStopped } from '../src/take-turns.ts'

const maxEach = 10
/** Enough to fill the batches of the dispatcher also on a slow machine, which makes fewer payments in their time. */
const load = { concurrent: 128, seconds: 4 }

test('the floor of `bench payments` makes at most ten statements and ten commits a payment', async () => {
  await withCleanup(async onStop => {
    const run = await startPaymentsRun({ signal: new AbortController().signal, onStop })
    const { receiver, signal } = run
    const { system, own } = await cobroSide(run)
    await makePayments(system, { concurrent: 1, seconds: 0.1 }, signal)
    await untilSteady(receiver.received)
    const floor = await floorSide(run)
    const { received, counts } = await whileStopped([own], async () => {
      // As in the bench: cold processes make few payments, and so small batches.
      await makePayments(floor.system, load, signal)
      await untilSteady(receiver.received)
      await sleep(statisticsDelayMs)
      return { received: receiver.received(), counts: await countPayments(run, floor.system, load) }
    })
    const statements = allStatements(counts)
    const { payments, commits } = counts
    process.stdout.write(`the floor: ${statements.toFixed(1)} statements and ${commits.toFixed(1)} commits a payment\n`)
    expect(receiver.received() - received).toBe(3 * payments)
    expect(statements).toBeLessThanOrEqual(maxEach)
    expect(commits).toBeLessThanOrEqual(maxEach)
  })
})
