import { setTimeout as sleep } from 'node:timers/promises'
import { withCleanup } from '../src/bench-stack.ts'
import { countDatabaseWork, countPayments, type DatabaseWork, divide } from '../src/count-payments.ts'
import { makePayments, untilSteady } from '../src/payer.ts'
import { statisticsDelayMs } from '../src/payment-costs.ts'
import { cobroSide, type PaymentsRun, startPaymentsRun } from '../src/payment-sides.ts'

const load = { concurrent: 1, seconds: 10 }
const idleMs = 10_000

/** The audit log stores what arrives within 250 ms in one batch. How many batches a payment has depends on the machine. */
const maxAuditBatches = load.seconds / 0.25
const auditBatch = { statements: 8, commits: 2 }

/**
 * The most statements of each service, with begin and commit, for a payment that nothing else shares transactions with.
 * Lower a number after an improvement; a higher one needs a reason in its commit.
 */
const maxStatements = {
  'cobro-gateway': 1,
  'cobro-checkout': 18,
  // Three webhooks.
  'cobro-webhooks': 8,
  'cobro-transactions': 9,
  'cobro-acquirer_sandbox': 3,
}
/** Without those of the audit log. */
const maxCommits = 16

test('a payment alone, with three webhooks, takes as many statements and commits as its steps need', async () => {
  await withCleanup(async onStop => {
    const run = await startPaymentsRun({ signal: new AbortController().signal, onStop })
    const { system } = await cobroSide(run)
    await makePayments(system, { concurrent: 1, seconds: 5 }, run.signal)
    await untilSteady(run.receiver.received)
    await sleep(statisticsDelayMs)
    const idle = await idleWork(run)

    const receivedBefore = run.receiver.received()
    const startMs = performance.now()
    const { payments, ...each } = await countPayments(run, system, load)
    const secondsEach = (performance.now() - startMs) / 1000 / payments
    const auditBatches = maxAuditBatches / payments
    const bounds = { ...maxStatements, 'cobro-audit': auditBatches * auditBatch.statements }
    const commits = each.commits - idle.commits * secondsEach
    process.stdout.write(`a payment alone: ${commits.toFixed(1)} commits\n`)
    for (const [name, bound] of Object.entries(bounds)) {
      const statements = (each.statements[name] ?? 0) - (idle.statements[name] ?? 0) * secondsEach
      process.stdout.write(`a payment alone: ${statements.toFixed(1)} statements of ${name}\n`)
      expect({ [name]: statements <= bound }).toEqual({ [name]: true })
    }
    expect(Object.keys(each.statements).toSorted()).toEqual(Object.keys(bounds).toSorted())
    expect(commits).toBeLessThanOrEqual(maxCommits + auditBatches * auditBatch.commits)
    expect(run.receiver.received() - receivedBefore).toBe(3 * payments)
  })
})

/** Returns what the services do in a second while nothing is to do. */
async function idleWork(run: PaymentsRun): Promise<DatabaseWork> {
  return divide(await countDatabaseWork(run, () => sleep(idleMs)), (idleMs + statisticsDelayMs) / 1000)
}
