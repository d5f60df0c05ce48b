import { setTimeout as sleep } from 'node:timers/promises'
import { type Id, newId, type PayableId } from '@cobro/contracts'
import { createLogger } from '@cobro/runtime'
import { cancelForPayer } from '../src/cancellation/cancel-payable.ts'
import { expireSessionsAndLinks } from '../src/expiry/expire-sessions-and-links.ts'
import { viewPayable } from '../src/hosted/payer-view.ts'
import { beginAttempt } from '../src/payment-attempts/begin-attempt.ts'
import { discardAttempt } from '../src/payment-attempts/discard-attempt.ts'
import { foldCheckoutHours } from '../src/reports/fold-checkout-hours.ts'
import { type CheckoutHour, differingHours, hoursOf, recountedHours } from './checkout-hours.ts'
import { concurrently, payers } from './payers.ts'

const logger = createLogger('checkout', 'silent')
let world: Awaited<ReturnType<typeof payers>>
beforeAll(async () => {
  world = await payers({ replicas: 2 })
})
afterAll(() => world?.stop())

const view = (id: PayableId) => {
  const acquirer = { encryptionKey: async () => ({ kid: 'k1' }) }
  return viewPayable({ db: world.db, limits: world.limits, environment: 'sandbox', acquirer } as never, id)
}
const decline = (id: PayableId) => world.pay(id, { declined: true })
const approve = (id: PayableId) => world.pay(id)
const cancel = (id: PayableId) => cancelForPayer(world.db, id)
const tableOf = (id: PayableId) => (id.startsWith('pl_') ? 'payment_links' : 'checkout_sessions')
const discard = async (id: PayableId) => {
  const { attempt } = await beginAttempt(world, id, { method: 'card' })
  await discardAttempt(world.db, attempt)
}
const expire = async (id: PayableId) => {
  await world.database.query(`update checkout.${tableOf(id)} set expires_at = now() where id = $1`, [id])
  await expireSessionsAndLinks(world.db, logger, new AbortController().signal)
}
const age = (id: PayableId, hours: number) =>
  world.database.query(
    `update checkout.${tableOf(id)} set created_at = created_at - $2 * interval '1 hour' where id = $1`,
    [id, hours],
  )

/** What happens to a session or link. The payer views it more than once, tries again, and pays without a view. */
const lives: ((id: PayableId) => Promise<unknown>)[][] = [
  [],
  [view, view],
  [approve],
  [view, decline, decline],
  [decline, approve, view],
  [view, expire],
  [expire, view],
  [cancel],
  [view, decline, cancel],
  [discard],
  [discard, view, approve],
  [view, approve],
]

test('the kept hours equal a recount at every moment, while sessions and links change and replicas fold', async () => {
  const merchants = [newId('mrc'), newId('mrc')]
  const rounds = 8
  let done = false
  const fold = async () => {
    for (; !done; await sleep(5)) await foldCheckoutHours(world.db)
  }
  const moments: number[] = []
  const look = async () => {
    for (; !done; await sleep(5)) moments.push(await differingHours(world.database))
  }
  const others = [fold(), fold(), look()]
  const live = async (n: number) => {
    const merchant = merchants[n % 2] as Id<'mrc'>
    const id = await (n % 4 < 2 ? world.session(merchant) : world.link(merchant))
    if (n % 3 === 0) await age(id, n % 5)
    for (const step of lives[n % lives.length] ?? []) await step(id)
  }
  await concurrently(rounds * lives.length, 8, live).finally(() => {
    done = true
  })
  await Promise.all(others)

  expect(moments.length).toBeGreaterThan(10)
  expect(moments.filter(count => count > 0)).toEqual([])
  const recounted = await recountedHours(world.database)
  expect(await hoursOf(world.database)).toEqual(recounted)
  await Promise.all([foldCheckoutHours(world.db), foldCheckoutHours(world.db)])
  expect(await world.database.query('select from checkout.checkout_hour_changes')).toEqual([])
  expect(await hoursOf(world.database)).toEqual(recounted)
  const each = rounds / 2
  const sumOf = (name: keyof CheckoutHour) => recounted.reduce((sum, row) => sum + Number(row[name]), 0)
  expect(Object.fromEntries(steps.map(name => [name, sumOf(name)]))).toEqual({
    created: 24 * each,
    viewed: 18 * each,
    attempted: 12 * each,
    completed: 8 * each,
    expired: 4 * each,
    cancelled: 4 * each,
  })
})

const steps = ['created', 'viewed', 'attempted', 'completed', 'expired', 'cancelled'] as const

test('concurrent changes of one hour never wait for each other, and what is rolled back does not count', async () => {
  const merchant = newId('mrc')
  const [one, other] = [await world.session(merchant), await world.session(merchant)]
  const totals = async () => {
    const [row] = await world.database.query(
      `select sum(created)::integer as created, sum(cancelled)::integer as cancelled
       from checkout.checkout_hour_totals where merchant_id = $1`,
      [merchant],
    )
    return row
  }
  const cancelled = (tx: { execute: (sql: string, params: unknown[]) => Promise<unknown> }, id: PayableId) =>
    tx.execute(`update checkout.checkout_sessions set status = 'cancelled' where id = ?`, [id])
  const rolledBack = world.db.write(async first => {
    await cancelled(first, one)
    // With a shared counter this would wait for the open transaction.
    await world.db.write(second => cancelled(second, other))
    await foldCheckoutHours(world.db)
    expect(await totals()).toEqual({ created: 2, cancelled: 1 })
    throw new Error('nothing of this happens')
  })
  await expect(rolledBack).rejects.toThrow('nothing of this')
  expect(await totals()).toEqual({ created: 2, cancelled: 1 })
})

test('an update that changes no step records nothing, and a deleted row no longer counts', async () => {
  const merchant = newId('mrc')
  const id = await world.session(merchant)
  await decline(id)
  await foldCheckoutHours(world.db)
  await view(id)
  await decline(id)
  await world.database.query(
    'update checkout.checkout_sessions set viewed_at = now(), modified_at = now() where id = $1',
    [id],
  )
  expect(await world.database.query('select from checkout.checkout_hour_changes')).toEqual([])
  await world.database.query('delete from checkout.checkout_sessions where id = $1', [id])
  expect(await differingHours(world.database)).toBe(0)
  expect((await hoursOf(world.database)).filter(row => row.merchant_id === merchant)).toEqual([])
})
