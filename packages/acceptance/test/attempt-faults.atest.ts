import { waitFor } from '@cobro/testing'
import { type AttemptWorld, atAcquirer, attemptWorld, cards, type TestPayable, underway } from '../src/attempt-world.ts'
import { type Ending, eventsNow, expectAgreement } from '../src/expect-agreement.ts'

/** Long enough for a process to be killed while the acquirer thinks. */
const slowAnswerMs = 3_000

let world: AttemptWorld
beforeAll(async () => {
  world = await attemptWorld({ slowAnswerMs })
}, 120_000)
afterAll(() => world?.stop(), 60_000)

const checked: TestPayable[] = []

async function agree(name: string, payable: TestPayable, ending: Ending): Promise<void> {
  process.stdout.write(`${name} | ${await expectAgreement(world, payable, ending)}\n`)
  checked.push(payable)
}

const service = (name: 'checkout' | 'transactions' | 'acquirer-sandbox') => world.stack.process(name)

/** Kills a service at once, and starts it again. */
async function restart(name: 'checkout' | 'transactions'): Promise<void> {
  await service(name).kill('SIGKILL')
  await service(name).start()
}

/** Pays until the answer is an approval: what stood in the way a moment ago may still be on its way back. */
const payAfterwards = (payable: TestPayable) =>
  waitFor(async () => (await world.pay(payable, cards.good))?.status === 200, { timeoutMs: 20_000, everyMs: 250 })

/** Does something while a service stands still, so that nobody hears from it. It goes on afterwards, unless it was killed. */
async function whileFrozen(name: 'transactions' | 'acquirer-sandbox', work: () => Promise<void>): Promise<void> {
  await service(name).kill('SIGSTOP')
  try {
    await work()
  } finally {
    await service(name).kill('SIGCONT')
  }
}

// Begun first and looked at last: what became of it is asked half a minute later.
let unsent: TestPayable
test('checkout killed before it sends the command: the attempt is given up later, and nothing is charged', async () => {
  unsent = await world.open('sessions')
  // From here on checkout knows the key to encrypt to, for some minutes.
  await world.clients.payer.call('GET', `/hosted/v1/checkout/${unsent.id}`)
  await whileFrozen('acquirer-sandbox', async () => {
    const paying = world.pay(unsent, cards.good)
    await underway(world, unsent)
    await service('checkout').kill('SIGKILL')
    await paying
  })
  await service('checkout').start()
  expect(await world.attempts(unsent)).toEqual([{ status: 'running', card: null }])
  expect(await world.cancel(unsent)).toBe(409)
}, 60_000)

for (const kind of ['sessions', 'links'] as const) {
  test(`${kind}: checkout killed after it has sent the command`, async () => {
    const payable = await world.open(kind)
    const paying = world.pay(payable, cards.slow)
    await atAcquirer(world, payable)
    await restart('checkout')
    await paying
    await agree(`${kind}: checkout killed after the command`, payable, 'approved')
  }, 60_000)

  test(`${kind}: transactions killed before the acquirer answers`, async () => {
    const payable = await world.open(kind)
    const paying = world.pay(payable, cards.slow)
    await atAcquirer(world, payable)
    await restart('transactions')
    await paying
    await agree(`${kind}: transactions killed before the answer`, payable, 'approved')
  }, 60_000)
}

test('transactions killed after the acquirer has answered, before that is committed', async () => {
  const payable = await world.open('sessions')
  const paying = world.pay(payable, cards.slow)
  await atAcquirer(world, payable)
  const lock = { sql: 'select 1 from transactions.transactions where payable_id = $1 for update', values: [payable.id] }
  await world.stack.whileLocked(lock, async () => {
    // It has the answer, and waits for the row that is locked here.
    await waitFor(async () => (await waitingForRow()) > 0, { timeoutMs: slowAnswerMs + 10_000 })
    await service('transactions').kill('SIGKILL')
  })
  await service('transactions').start()
  await paying
  await agree('transactions killed after the answer', payable, 'approved')
}, 60_000)

const waitingForRow = async (): Promise<number> => {
  const [row] = await world.stack.query(
    `select count(*)::int as waiting from pg_stat_activity
     where datname = current_database() and usename = 'cobro_transactions' and wait_event_type = 'Lock'`,
  )
  return row.waiting
}

test('the acquirer away as the card is read: a failure, nothing charged, and the payer may try again', async () => {
  const payable = await world.open('sessions')
  await world.clients.payer.call('GET', `/hosted/v1/checkout/${payable.id}`)
  await service('acquirer-sandbox').kill('SIGKILL')
  expect((await world.pay(payable, cards.good))?.status).toBe(502)
  await agree('acquirer away as the card is read', payable, 'open')
  await service('acquirer-sandbox').start()
  await payAfterwards(payable)
  await agree('and afterwards', payable, 'approved')
}, 60_000)

test('the acquirer away between the token and the charge: a failure, nothing charged, and the payer may try again', async () => {
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
}, 60_000)

test('RabbitMQ away: nothing is sent, nothing charged, and the payer may try again', async () => {
  const payable = await world.open('sessions')
  await world.broker.shut()
  await waitFor(async () => (await world.pay(payable, cards.good))?.status === 503)
  await world.broker.open()
  await agree('RabbitMQ away', payable, 'open')
  await payAfterwards(payable)
  await agree('and afterwards', payable, 'approved')
}, 60_000)

test('RabbitMQ gone during the charge: the outcome comes once it is back', async () => {
  const payable = await world.open('links')
  // Its answer would come only once nobody waits for the reply any more, and says no more than the page.
  void world.pay(payable, cards.slow)
  await atAcquirer(world, payable)
  await world.broker.shut()
  const [charge] = await world.charges(payable)
  await waitFor(() => Date.now() > Number(charge?.settles_at))
  await world.broker.open()
  await agree('RabbitMQ gone during the charge', payable, 'approved')
}, 60_000)

test('the attempt that was never sent has failed by now, and its session can be paid', async () => {
  await agree('checkout killed before the command', unsent, 'open')
  await payAfterwards(unsent)
  await agree('and afterwards', unsent, 'approved')
}, 90_000)

test('nothing came later', async () => {
  for (const payable of checked) {
    const { logged, told } = await eventsNow(world, payable)
    expect([payable.id, told]).toEqual([payable.id, logged])
    expect([payable.id, logged['payment.approved']]).toEqual([payable.id, 1])
  }
}, 60_000)
