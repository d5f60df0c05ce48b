import { waitFor } from '@cobro/testing'
import { type AttemptWorld, atAcquirer, attemptWorld, cards, type TestPayable, underway } from '../src/attempt-world.ts'
import { type Ending, eventsNow, expectAgreement } from '../src/expect-agreement.ts'

let world: AttemptWorld
beforeAll(async () => {
  world = await attemptWorld()
})
afterAll(() => world?.stop())
// Undoes the fault of a test that failed during it.
afterEach(async () => {
  await world.broker.open()
  for (const name of ['acquirer-sandbox', 'checkout', 'transactions'] as const) await service(name).start()
})

const checked: TestPayable[] = []

async function agree(name: string, payable: TestPayable, ending: Ending): Promise<void> {
  process.stdout.write(`${name} | ${await expectAgreement(world, payable, ending)}\n`)
  checked.push(payable)
}

const service = (name: 'checkout' | 'transactions' | 'acquirer-sandbox') => world.stack.process(name)

/** Kills a service and starts it again. */
async function restart(name: 'checkout' | 'transactions'): Promise<void> {
  await service(name).kill('SIGKILL')
  await service(name).start()
  await world.stack.untilPayable()
}

/** Repeats the payment until it is approved: what failed a moment ago may still be recovering. */
const payAfterwards = (payable: TestPayable) =>
  waitFor(async () => (await world.pay(payable, cards.good))?.status === 200, { intervalMs: 250 })

/** Runs `work` while a service is frozen. It continues afterwards unless it was killed. */
async function whileFrozen(name: 'transactions' | 'acquirer-sandbox', work: () => Promise<void>): Promise<void> {
  await service(name).kill('SIGSTOP')
  try {
    await work()
  } finally {
    await service(name).kill('SIGCONT')
  }
}

// Started first and checked last: every other payment comes between the kill and the resolution.
let unsent: TestPayable
test('resolves an attempt as failed, without a charge, after checkout is killed before it sends the command', async () => {
  unsent = await world.open('sessions')
  // From here on checkout caches the acquirer's public key for some minutes.
  await world.clients.payer.call('GET', `/hosted/v1/checkout/${unsent.id}`)
  await whileFrozen('acquirer-sandbox', async () => {
    const paying = world.pay(unsent, cards.good)
    await underway(world, unsent)
    await service('checkout').kill('SIGKILL')
    await paying
  })
  await resolveUnsent("interval '1 day'")
  await service('checkout').start()
  await world.stack.untilPayable()
  expect(await world.attempts(unsent)).toEqual([{ status: 'running', card: null }])
  expect(await world.cancel(unsent)).toBe(409)
})

/** Sets when checkout asks for the outcome of the attempt that was never sent. */
const resolveUnsent = (delay: string) =>
  world.stack.query(`update checkout.payment_attempts set resolve_at = now() + ${delay} where payable_id = $1`, [
    unsent.id,
  ])

test.each([
  ['sessions', 'checkout', 'after the command'],
  ['sessions', 'transactions', 'before the answer'],
  ['links', 'checkout', 'after the command'],
  ['links', 'transactions', 'before the answer'],
] as const)('completes a payment of %s once after %s is killed %s', async (kind, service, when) => {
  const payable = await world.open(kind)
  const paying = world.pay(payable, cards.slow)
  await atAcquirer(world, payable)
  await restart(service)
  await world.resolve(payable)
  await paying
  await agree(`${kind}: ${service} killed ${when}`, payable, 'approved')
})

test("completes a payment once after transactions is killed between the acquirer's answer and its commit", async () => {
  const payable = await world.open('sessions')
  const lock = { sql: 'lock table transactions.ledger_entries in share mode', values: [] }
  let paying: ReturnType<AttemptWorld['pay']> | undefined
  await world.stack.whileLocked(lock, async () => {
    paying = world.pay(payable, cards.good)
    // It has the answer and waits for the table that is locked here.
    await waitFor(async () => (await world.stack.insertsWaiting('transactions', 'ledger_entries')) > 0)
    await service('transactions').kill('SIGKILL')
  })
  await service('transactions').start()
  await paying
  await agree('transactions killed after the answer', payable, 'approved')
})

test('reports a failure, charges nothing and lets the payer retry when the acquirer is unreachable for the token', async () => {
  const payable = await world.open('sessions')
  await world.clients.payer.call('GET', `/hosted/v1/checkout/${payable.id}`)
  await service('acquirer-sandbox').kill('SIGKILL')
  expect((await world.pay(payable, cards.good))?.status).toBe(502)
  await agree('acquirer away as the card is read', payable, 'open')
  await service('acquirer-sandbox').start()
  await payAfterwards(payable)
  await agree('and afterwards', payable, 'approved')
})

test('reports a failure, charges nothing and lets the payer retry when the acquirer is unreachable for the charge', async () => {
  const payable = await world.open('links')
  let paying: ReturnType<AttemptWorld['pay']> | undefined
  await whileFrozen('transactions', async () => {
    paying = world.pay(payable, cards.good)
    await waitFor(async () => (await world.attempts(payable))[0]?.card)
    await service('acquirer-sandbox').kill('SIGKILL')
  })
  expect((await paying)?.status).toBe(502)
  await agree('acquirer away before the charge', payable, 'open')
  await service('acquirer-sandbox').start()
  await payAfterwards(payable)
  await agree('and afterwards', payable, 'approved')
})

test('sends and charges nothing and lets the payer retry while RabbitMQ is unreachable', async () => {
  const payable = await world.open('sessions')
  await world.broker.shut()
  await waitFor(async () => (await world.pay(payable, cards.good))?.status === 503)
  await world.broker.open()
  await agree('RabbitMQ away', payable, 'open')
  await payAfterwards(payable)
  await agree('and afterwards', payable, 'approved')
})

/** Pays four links while RabbitMQ goes down and comes back. Returns the statuses of the answers. */
async function payDuringOutage(): Promise<(number | undefined)[]> {
  const payables = await Promise.all(Array.from({ length: 4 }, () => world.open('links')))
  const paying = payables.map(payable => world.pay(payable, cards.slow))
  for (const payable of payables) await atAcquirer(world, payable)
  await world.broker.shut()
  for (const payable of payables) await world.resolve(payable)
  const approved = `select from transactions.transactions where payable_id = any($1) and status = 'approved'`
  const ids = payables.map(({ id }) => id)
  await waitFor(async () => (await world.stack.query(approved, [ids])).length === ids.length)
  await world.broker.open()
  const answers = await Promise.all(paying)
  for (const payable of payables) await agree('RabbitMQ gone during the charge', payable, 'approved')
  return answers.map(answer => answer?.status)
}

test('answers payers once RabbitMQ is back after it went down during their charges, whichever replica learns the outcomes', async () => {
  const other = await world.stack.replica('checkout')
  let statuses = await payDuringOutage()
  // A busy machine may take longer than a payer waits.
  for (let again = 2; again > 0 && statuses.some(status => status !== 200); again--) statuses = await payDuringOutage()
  await other.stop()
  expect(statuses).toEqual([200, 200, 200, 200])
})

test('has resolved the attempt that was never sent as failed, and lets its session be paid', async () => {
  await resolveUnsent("interval '0'")
  await agree('checkout killed before the command', unsent, 'open')
  await payAfterwards(unsent)
  await agree('and afterwards', unsent, 'approved')
})

test('has emitted no further event for any of these payments', async () => {
  for (const payable of checked) {
    const { logged, announced } = await eventsNow(world, payable)
    expect([payable.id, announced]).toEqual([payable.id, logged])
    expect([payable.id, logged['payment.approved']]).toEqual([payable.id, 1])
  }
})
