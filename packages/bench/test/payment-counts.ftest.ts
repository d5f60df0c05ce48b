import { setTimeout as sleep } from 'node:timers/promises'
import { withCleanup } from '../src/bench-stack.ts'
import { countPayments, type DatabaseWork } from '../src/count-payments.ts'
import { countStatements } from '../src/count-statements.ts'
import { makePayments, untilSteady } from '../src/payer.ts'
import { readSpent, statisticsDelayMs } from '../src/payment-costs.ts'
import { cobroSide, type PaymentsRun, startPaymentsRun } from '../src/payment-sides.ts'

const idleSeconds = 10

/**
 * The most statements of each service, with begin and commit, for a payment that nothing else shares transactions with.
 * Lower a number after an improvement; a higher one needs a reason in its commit.
 */
const maxStatements = {
  'cobro-gateway': 1,
  'cobro-checkout': 28,
  // Three webhooks.
  'cobro-webhooks': 26,
  'cobro-transactions': 12,
  'cobro-acquirer_sandbox': 11,
  // The events of a payment end up in one batch of seven statements, or on a slow machine in up to four.
  'cobro-audit': 28,
}
const maxCommits = 25

test('a payment alone, with three webhooks, takes as many statements and commits as its steps need', async () => {
  await withCleanup(async onStop => {
    const run = await startPaymentsRun({ signal: new AbortController().signal, onStop })
    const { system } = await cobroSide(run)
    await makePayments(system, { concurrent: 1, seconds: 5, signal: run.signal })
    await untilSteady(run.receiver.received)
    await sleep(statisticsDelayMs)

    const idle = await idleWork(run)
    const receivedBefore = run.receiver.received()
    const startMs = performance.now()
    const counted = await countPayments(run, system, { concurrent: 1, seconds: 10 })
    const idleSecondsEach = (performance.now() - startMs) / 1000 / counted.payments
    const each = (total: number, perSecond = 0) => total - perSecond * idleSecondsEach
    const statements = Object.entries(counted.statements).map(
      ([name, count]) => [name, each(count, idle.statements[name])] as const,
    )
    const commits = each(counted.commits, idle.commits)

    for (const [name, count] of [...statements, ['commits', commits] as const])
      process.stdout.write(`a payment alone: ${count.toFixed(1)} ${name}\n`)
    expect(run.receiver.received() - receivedBefore).toBe(3 * counted.payments)
    const tooMany = statements.filter(
      ([name, count]) => count > (maxStatements[name as keyof typeof maxStatements] ?? 0),
    )
    expect(tooMany).toEqual([])
    expect(commits).toBeLessThanOrEqual(maxCommits)
  })
})

/** Returns what the services do in a second while nothing is to do. */
async function idleWork({ bench }: PaymentsRun): Promise<DatabaseWork> {
  const before = await readSpent(bench.pool, {})
  const counts = await countStatements({ pool: bench.pool, logFile: `${bench.dir}/logs/postgres.log` }, async () => {
    await sleep(idleSeconds * 1000)
    await sleep(statisticsDelayMs)
  })
  const { commits } = await readSpent(bench.pool, {})
  const seconds = idleSeconds + statisticsDelayMs / 1000
  const statements = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / seconds]))
  return { statements, commits: (commits - before.commits) / seconds }
}
