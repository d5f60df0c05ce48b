import { hostedApiUrl, payByCard } from '@cobro/local-stack'
import { waitFor } from '@cobro/testing'
import { type AttemptWorld, atAcquirer, attemptWorld, cards, type TestPayable, underway } from '../src/attempt-world.ts'
import { type Ending, eventsNow, expectAgreement } from '../src/expect-agreement.ts'

let world: AttemptWorld
let running: Map<string, Promise<Result>>
beforeAll(async () => {
  world = await attemptWorld()
  // Those that wait for the slow acquirer run concurrently; the others in turn, so that no payment waits for the processor.
  let others: Promise<unknown> = Promise.resolve()
  const inTurn = (run: Run) => {
    const result = others.then(() => resultOf(run))
    others = result
    return result
  }
  running = new Map(cases.map(({ name, slow, run }: Case) => [name, slow ? resultOf(run) : inTurn(run)]))
})
afterAll(() => world?.stop())

interface Result {
  payable?: TestPayable
  line?: string
  fault?: unknown
}

/** A race on one payment. Returns the payable and its expected outcome. */
type Run = () => Promise<[TestPayable, Ending]>

interface Case {
  name: string
  /** Whether its payment waits until the call to the acquirer times out. */
  slow?: boolean
  run: Run
}

async function resultOf(run: Run): Promise<Result> {
  try {
    const [payable, ending] = await run()
    return { payable, line: await expectAgreement(world, payable, ending) }
  } catch (fault) {
    return { fault }
  }
}

/** Pays as the page does, and disconnects before the answer. */
async function payAndLeave(payable: TestPayable, card: string): Promise<void> {
  const leaving = new AbortController()
  const gone = payByCard(world.stack.stack.hosted_url, payable.id, card, leaving.signal).catch(() => undefined)
  await underway(world, payable)
  leaving.abort()
  await gone
}

const inProgress = async (payable: TestPayable) =>
  (await world.clients.payer.call('GET', new URL(hostedApiUrl('http://x', payable.id)).pathname)).body.data.in_progress

const cases = (['sessions', 'links'] as const).flatMap(kind => [
  {
    name: `${kind}: two tabs pay at once`,
    run: async () => {
      const payable = await world.open(kind)
      const answers = await Promise.all([world.pay(payable, cards.good), world.pay(payable, cards.good)])
      expect(answers.map(answer => answer?.status).sort()).toEqual([200, 409])
      return [payable, 'approved']
    },
  },
  {
    name: `${kind}: a click too many, ten times over`,
    run: async () => {
      const payable = await world.open(kind)
      const answers = await Promise.all(Array.from({ length: 10 }, () => world.pay(payable, cards.good)))
      expect(answers.filter(answer => answer?.status === 200)).toHaveLength(1)
      return [payable, 'approved']
    },
  },
  {
    name: `${kind}: a reload during the payment`,
    slow: true,
    run: async () => {
      const payable = await world.open(kind)
      await payAndLeave(payable, cards.slow)
      expect(await inProgress(payable)).toBe(true)
      expect(await world.press(payable)).toBe(409)
      await world.resolve(payable)
      return [payable, 'approved']
    },
  },
  {
    name: `${kind}: a tab that is closed`,
    run: async () => {
      const payable = await world.open(kind)
      await payAndLeave(payable, cards.good)
      return [payable, 'approved']
    },
  },
  {
    name: `${kind}: a decline, then a slow acquirer`,
    slow: true,
    run: async () => {
      const payable = await world.open(kind)
      expect((await world.pay(payable, cards.poor))?.status).toBe(402)
      expect((await world.pay(payable, cards.slow))?.status).toBe(202)
      await world.resolve(payable)
      return [payable, 'approved']
    },
  },
  {
    name: `${kind}: an acquirer that cuts the line after the charge`,
    run: async () => {
      const payable = await world.open(kind)
      await world.pay(payable, cards.cut)
      return [payable, 'approved']
    },
  },
  {
    name: `${kind}: a cancel during the attempt`,
    slow: true,
    run: async () => {
      const payable = await world.open(kind)
      const paying = world.pay(payable, cards.slow)
      await underway(world, payable)
      expect(await world.cancel(payable)).toBe(409)
      await atAcquirer(world, payable)
      expect(await world.cancel(payable)).toBe(409)
      await world.resolve(payable)
      await paying
      return [payable, 'approved']
    },
  },
  {
    name: `${kind}: the end of its time during the attempt`,
    slow: true,
    run: async () => {
      const payable = await world.open(kind)
      const paying = world.pay(payable, cards.slow)
      await atAcquirer(world, payable)
      const table = kind === 'links' ? 'payment_links' : 'checkout_sessions'
      await world.stack.query(`update checkout.${table} set expires_at = now() where id = $1`, [payable.id])
      await paying
      const past = `select 1 from checkout.${table} where id = $1 and expires_at < now() and status in ('pending', 'active')`
      expect(await world.stack.query(past, [payable.id])).toHaveLength(1)
      await world.resolve(payable)
      return [payable, 'approved']
    },
  },
  {
    name: `${kind}: the end of its time after a decline`,
    run: async () => {
      const payable = await world.open(kind)
      expect((await world.pay(payable, cards.poor))?.status).toBe(402)
      const table = kind === 'links' ? 'payment_links' : 'checkout_sessions'
      await world.stack.query(`update checkout.${table} set expires_at = now() where id = $1`, [payable.id])
      expect(await world.press(payable)).toBe(409)
      return [payable, 'expired']
    },
  },
  {
    name: `${kind}: cancelled after a decline`,
    run: async () => {
      const payable = await world.open(kind)
      expect((await world.pay(payable, cards.poor))?.status).toBe(402)
      expect(await world.cancel(payable)).toBe(200)
      expect(await world.press(payable)).toBe(409)
      return [payable, 'cancelled']
    },
  },
]) satisfies Case[]

test.each(cases.map(({ name }) => [name] as const))(
  '%s: one charge at most, and everybody agrees',
  async name => {
    const { fault, line } = (await running.get(name)) as Result
    if (fault) throw fault
    process.stdout.write(`${name} | ${line}\n`)
  },
  600_000,
)

test('has emitted no further event for any of these payments', async () => {
  const results = await Promise.all(running.values())
  const payables = results.flatMap(({ payable }) => payable ?? [])
  expect(payables).toHaveLength(cases.length)
  process.stdout.write(`${cases.length} races on the attempts to pay\n`)
  await waitFor(async () => (await world.stack.query('select 1 from webhooks.outbox')).length === 0)
  for (const payable of payables) {
    const { logged, announced } = await eventsNow(world, payable)
    expect([payable.id, announced]).toEqual([payable.id, logged])
    for (const name of ['payment.approved', 'payment.expired', 'payment.cancelled']) {
      expect([payable.id, name, logged[name] ?? 0]).toEqual([payable.id, name, Math.min(logged[name] ?? 0, 1)])
    }
  }
})
