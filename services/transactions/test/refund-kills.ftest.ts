import { type Step, waitFor } from '@cobro/testing'
import type { TransactionRow } from '../src/transactions/transaction-entity.ts'
import type { Manner } from './refund-acquirer.ts'
import { refundFixture } from './refund-fixture.ts'

const long = process.env.COBRO_TEST_LONG === '1'
let world: Awaited<ReturnType<typeof refundFixture>>
beforeAll(async () => {
  world = await refundFixture()
})
afterAll(() => world?.stop())
// Gives the next test a service again if this one failed without it.
afterEach(async () => {
  world.statements.unwatch()
  if (!(await world.ready())) await world.start()
})

/** Waits until a refund has completed with all events published. Requests failed refunds again. */
const ended = (row: TransactionRow, nudge: boolean) =>
  waitFor(async () => {
    if (nudge) await world.letTimePass(row)
    const account = await world.account(row)
    if (account.refund_status === 'failed') await world.requestRefund(row)
    return account.refund_status === 'completed' && account.unpublished === 0 && account.events > 0 && account
  })
const count = { given_up: 0, lost: 0, doubled: 0 }
async function judge(row: TransactionRow) {
  const { status, refunds, refunded, events, posted } = await world.account(row)
  const completed = refunds.filter(refund => refund === 'completed').length
  const done = [completed, refunded, events, posted / row.amount_cents]
  count.given_up += refunds.filter(refund => refund === 'failed').length
  if (status !== 'refunded' || done.some(times => times < 1)) count.lost += 1
  if (done.some(times => times > 1)) count.doubled += 1
  expect([row.id, status, ...done]).toEqual([row.id, 'refunded', 1, 1, 1, 1])
}

/**
 * Records the steps of an undisturbed refund, without the periodic queries of idle tasks.
 * Of the claim, which runs every second, only the first counts: the rest depends on the machine's speed.
 */
async function stepsOfRefund(): Promise<Step[]> {
  const row = await world.payment()
  world.statements.watch()
  await world.requestRefund(row)
  await ended(row, false)
  await judge(row)
  const idle = /transaction_count|update transactions.transactions set next_check|select id, message_id/
  const isLaterClaim = ({ label, nth }: Step) => /^(commit of )?with due/.test(label) && nth > 1
  return world.statements.unwatch().steps.filter(step => !idle.test(step.label) && !isLaterClaim(step))
}

/** Returns the steps that two refunds share: on a slow machine, one may need another query. */
async function stepsOfEveryRefund(): Promise<Step[]> {
  const [first, second] = [await stepsOfRefund(), await stepsOfRefund()]
  return first.filter(step => second.some(({ label, nth }) => label === step.label && nth === step.nth))
}

/** The steps that commit something or send it elsewhere. */
const effects = /^(commit|with due|with write|the acquirer|delete from transactions.outbox)/

test('a refund completes exactly once when the service is killed before or after any of its steps', async () => {
  let service = await world.start()
  const steps = await stepsOfEveryRefund()
  const few = steps
    .filter(({ label }) => effects.test(label))
    .map((step, index) => ({ ...step, done: index % 2 === 1 }))
  const kills = long ? steps.flatMap(step => [false, true].map(done => ({ ...step, done }))) : few
  /** Returns whether a refund came to the step, and so the service was killed. */
  const killsAt = async (kill: (typeof kills)[number]): Promise<boolean> => {
    const row = await world.payment()
    world.statements.watch({ ...kill, killProcess: service.kill })
    const request = world.requestRefund(row)
    const first = await Promise.race([service.exited, request.then(() => ended(row, false))])
    const { killed } = world.statements.unwatch()
    if (first === 'exited' && !killed) throw new Error('The service exited without being killed.')
    if (killed) {
      // A kill after the last step leaves the refund complete, and the test may see that before the service has exited.
      await service.exited
      service = await world.start()
      await request
      await ended(row, true)
    }
    await judge(row)
    return killed
  }
  const unmet: Step[] = []
  for (const kill of kills) {
    // A refund whose notification comes before the acquirer's answer skips a step, so another refund is tried.
    let met = false
    for (let tries = kill.nth === 1 ? 20 : 1; tries > 0 && !met; tries--) met = await killsAt(kill)
    if (!met) unmet.push(kill)
  }
  const { lost, doubled, given_up } = count
  const kinds = steps.map(step => step.label)
  process.stdout.write(
    `a refund of ${steps.length} steps: ${kills.length - unmet.length} kills, ${unmet.length} unmet, ${given_up} given up, lost: ${lost}, doubled: ${doubled}\n`,
  )
  expect(kinds).toEqual(expect.arrayContaining([expect.stringMatching(/^commit/), 'the acquirer receives a request']))
  // Each kind of step was met; a repeated one need not be.
  expect(unmet.filter(step => step.nth === 1)).toEqual([])
}, 900_000)

/** An outage: how it begins, how the test knows that the service noticed it, and how it ends. */
interface Outage {
  begin: () => Promise<void> | void
  felt: (row: TransactionRow) => Promise<boolean>
  over: () => Promise<void> | void
}
const acquirerThat = (manner: Manner): Outage => {
  let calls = 0
  const { state } = world.acquirer
  return {
    begin: () => {
      calls = state.calls
      state.manner = manner
    },
    felt: async () => state.calls > calls,
    over: () => {
      state.manner = 'well'
    },
  }
}
const outages: Record<string, () => Outage> = {
  'RabbitMQ is unreachable': () => ({
    begin: world.broker.shut,
    felt: async row => {
      const { refund_status, unpublished } = await world.account(row)
      return refund_status === 'completed' && unpublished > 0
    },
    over: world.broker.open,
  }),
  'PostgreSQL is unreachable': () => ({
    begin: world.postgres.shut,
    felt: async () => !(await world.ready()),
    over: world.postgres.open,
  }),
  'PostgreSQL hangs': () => ({
    begin: world.postgres.stall,
    felt: async () => !(await world.ready()),
    over: world.postgres.open,
  }),
  'the acquirer closes the connection after accepting it': () => acquirerThat('hangs_up'),
  'the acquirer closes every connection': () => acquirerThat('breaks'),
}

test.each(Object.keys(outages))(
  'a refund that is requested or in flight while %s completes exactly once',
  async what => {
    const outage = outages[what]?.() as Outage
    for (const inFlight of [false, true]) {
      const row = await world.payment()
      // The acquirer keeps the refund in flight: it could complete before the outage begins, which would then not be felt.
      const held = inFlight ? world.acquirer.hold() : undefined
      let request: Promise<unknown> | undefined
      try {
        if (held) await Promise.all([world.requestRefund(row), held.arrived])
        await outage.begin()
        held?.release()
        if (!held) request = world.requestRefund(row)
        await waitFor(() => outage.felt(row))
      } finally {
        held?.release()
        await outage.over()
      }
      await request
      await ended(row, true)
      await judge(row)
    }
  },
)

test('after all kills and outages the ledger has no discrepancy and no refund was lost or doubled', async () => {
  expect(await world.check()).toMatchObject({ ok: true, first_fault: null })
  expect([count.lost, count.doubled]).toEqual([0, 0])
})
