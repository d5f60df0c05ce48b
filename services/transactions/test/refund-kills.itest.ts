import { waitFor } from '@cobro/testing'
import type { TransactionRow } from '../src/transactions/transaction-entity.ts'
import type { Step } from './query-gate.ts'
import type { Manner } from './refund-acquirer.ts'
import { refundFixture } from './refund-fixture.ts'

const long = process.env.COBRO_TEST_LONG === '1'
let world: Awaited<ReturnType<typeof refundFixture>>
beforeAll(async () => {
  world = await refundFixture()
})
afterAll(() => world?.stop())

/** Waits until a refund has completed and all its events are published. Requests a failed refund again. */
const ended = (row: TransactionRow, nudge: boolean) =>
  waitFor(async () => {
    if (nudge) await world.letTimePass(row)
    const account = await world.account(row)
    if (account.refund_status === 'failed') await world.requestRefund(row)
    return account.refund_status === 'completed' && account.unpublished === 0 && account.events > 0 && account
  })
const count = { killed: 0, unmet: 0, given_up: 0, lost: 0, doubled: 0 }
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
 * Records the steps of an undisturbed refund. The periodic queries of idle tasks don't count, and of the claim, which runs every second
 * whether or not a refund is due, only the first: how often it runs depends on the machine's speed.
 */
async function stepsOfRefund(): Promise<Step[]> {
  const row = await world.payment()
  world.statements.watch()
  await world.requestRefund(row)
  await ended(row, false)
  await judge(row)
  const idle = /transaction_count|update transactions.transactions set next_check|select id, message_id/
  const isLaterClaim = ({ label, nth }: Step) => label.startsWith('with due') && nth > 1
  return world.statements.unwatch().filter(step => !idle.test(step.label) && !isLaterClaim(step))
}

/** The steps that commit something or send it elsewhere. */
const effects = /^(commit|with due|the acquirer|delete from transactions.outbox)/

test('a refund completes exactly once when the service is killed before or after any of its steps', async () => {
  let service = await world.start()
  const steps = await stepsOfRefund()
  const kills = steps.flatMap(step => [false, true].map(done => ({ ...step, done })))
  const few = kills.filter(({ label, nth, done }) => effects.test(label) && done === (nth % 2 === 1))
  for (const kill of long ? kills : few) {
    const row = await world.payment()
    world.statements.watch({ ...kill, killProcess: service.kill })
    const request = world.requestRefund(row)
    const first = await Promise.race([service.exited, request.then(() => ended(row, false))])
    world.statements.unwatch()
    if (first === 'exited') {
      count.killed += 1
      service = await world.start()
      await request
      await ended(row, true)
    } else count.unmet += 1
    await judge(row)
  }
  const { lost, doubled, ...rest } = count
  process.stdout.write(
    `a refund of ${steps.length} steps: ${JSON.stringify(rest)}, lost: ${lost}, doubled: ${doubled}\n`,
  )
  expect(steps.map(step => step.label)).toEqual(expect.arrayContaining(['commit', 'the acquirer receives a request']))
  expect(count.killed).toBeGreaterThan(5 * count.unmet)
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
    for (const onItsWay of [false, true]) {
      const row = await world.payment()
      if (onItsWay) await world.requestRefund(row)
      await outage.begin()
      const request = onItsWay ? undefined : world.requestRefund(row)
      await waitFor(() => outage.felt(row))
      await outage.over()
      await request
      await ended(row, true)
      await judge(row)
    }
  },
  60_000,
)

test('after all kills and outages the ledger has no discrepancy and no refund was lost or doubled', async () => {
  expect(await world.check()).toMatchObject({ ok: true, first_fault: null })
  expect([count.lost, count.doubled]).toEqual([0, 0])
})
