import type { ServiceProcess } from '@cobro/local-stack'
import { smallestOf, waitFor } from '@cobro/testing'
import { type AcceptanceStack, acceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'

let stack: AcceptanceStack
let clients: Awaited<ReturnType<typeof clientsOf>>
let replicas: ServiceProcess[]
beforeAll(async () => {
  stack = await acceptanceStack()
  clients = await clientsOf(stack.stack)
  replicas = [stack.process('checkout'), await stack.replica('checkout'), await stack.replica('checkout')]
})
afterAll(() => stack?.stop())

/** Sessions and links expire within this time or, if opening them takes longer, within that. */
const promisedMs = 5_000
const creatingAtOnce = 20
/** The events of an expiry, for the payment and for the session or link. */
const ofPayment = ['payment.expired', 'payment.failed']
const ofSession = [...ofPayment, 'checkout_session.completed']
const ofLink = [...ofPayment, 'payment_link.expired']

/** Opens `count` sessions or links through the API; returns their ids. */
async function open(path: 'sessions' | 'links', count: number): Promise<string[]> {
  const body =
    path === 'links' ? { amount_cents: 100, concepto: 'Curso' } : { amount_total: 100, return_url: 'https://x.mx' }
  const ids: string[] = []
  const left = Array.from({ length: count }).values()
  const opening = async () => {
    for (const _one of left) {
      const answer = await clients.merchant.call('POST', `/checkout/v1/${path}`, body)
      ids.push((answer.body.data ?? answer.body).id)
    }
  }
  await Promise.all(Array.from({ length: creatingAtOnce }, opening))
  expect(ids).toHaveLength(count)
  return ids
}

/** Makes all of them expire at one moment. */
const fallDue = async (ids: string[], inMs: number) => {
  for (const table of ['checkout_sessions', 'payment_links']) {
    const sql = `update checkout.${table} set expires_at = now() + $2 * interval '1 millisecond' where id = any($1)`
    await stack.query(sql, [ids, inMs])
  }
}

const expired = async (ids: string[]): Promise<number> => {
  const [row] = await stack.query(
    `select (select count(*) from checkout.checkout_sessions where id = any($1) and status = 'expired')
          + (select count(*) from checkout.payment_links where id = any($1) and status = 'expired') as n`,
    [ids],
  )
  return Number(row.n)
}

/** How late the last of them expired, in ms. */
const latest = async (ids: string[]): Promise<number> => {
  const [row] = await stack.query(
    `select greatest(
       (select max(modified_at - expires_at) from checkout.checkout_sessions where id = any($1)),
       (select max(updated_at - expires_at) from checkout.payment_links where id = any($1))) as late`,
    [ids],
  )
  const { seconds = 0, milliseconds = 0, minutes = 0 } = row.late
  return minutes * 60_000 + seconds * 1_000 + milliseconds
}

/** Expects each of these events once for each id, and no more to come. */
async function expectLogged(ids: string[], names: string[]): Promise<void> {
  const each = Object.fromEntries(names.map(name => [name, { n: ids.length, of: ids.length }]))
  const hold = async () => {
    expect(await logged(ids, names)).toEqual(each)
    return true
  }
  await waitFor(hold)
  await waitFor(async () => (await stack.query('select 1 from checkout.outbox')).length === 0)
  await hold()
}

/** Counts each event in the log, and the distinct ids it is about. */
async function logged(ids: string[], names: string[]): Promise<Record<string, { n: number; of: number }>> {
  const rows = await stack.query(
    `select action, count(*)::int as n, count(distinct target_id)::int as of from audit.events
     where target_id = any($1) and action = any($2) group by 1`,
    [ids, names],
  )
  return Object.fromEntries(rows.map(({ action, n, of }) => [action, { n, of }]))
}

test('expires each of 1,000 sessions that are due together once and in time although one of three replicas is killed', async () => {
  const expireAll = async () => {
    const openingAt = performance.now()
    const ids = await open('sessions', 1_000)
    const openedMs = Math.round(performance.now() - openingAt)
    await replicas[1]?.start()
    // Holds back each replica while it expires its first sessions, until one of them is killed.
    await stack.whileLocked({ sql: 'lock table checkout.outbox in share mode', values: [] }, async () => {
      await fallDue(ids, 0)
      await waitFor(async () => (await stack.insertsWaiting('checkout', 'outbox')) >= replicas.length, {
        intervalMs: 5,
      })
      await replicas[1]?.kill('SIGKILL')
      expect(await expired(ids)).toBe(0)
    })
    await waitFor(async () => (await expired(ids)) === ids.length)
    const late = await latest(ids)
    await expectLogged(ids, ofSession)
    process.stdout.write(
      `1,000 sessions opened in ${openedMs} ms, one of three replicas killed meanwhile: the last expired ${late} ms late\n`,
    )
    return late / Math.max(promisedMs, openedMs)
  }
  expect(await smallestOf(1, expireAll)).toBeLessThan(1)
}, 600_000)

test('expires what became due while no replica was running once, within seconds of a start', async () => {
  const expireAll = async () => {
    const [first] = replicas
    await first?.start()
    const openingAt = performance.now()
    const sessions = await open('sessions', 200)
    const links = await open('links', 50)
    const openedMs = performance.now() - openingAt
    const ids = [...sessions, ...links]
    for (const replica of replicas) await replica.stop()
    await fallDue(ids, 0)
    expect(await expired(ids)).toBe(0)
    await first?.start()
    const startedAt = performance.now()
    await waitFor(async () => (await expired(ids)) === ids.length)
    const tookMs = Math.round(performance.now() - startedAt)
    process.stdout.write(`250 that became due while no replica was running: all expired ${tookMs} ms after the start\n`)
    await expectLogged(sessions, ofSession)
    await expectLogged(links, ofLink)
    return tookMs / Math.max(promisedMs, openedMs)
  }
  expect(await smallestOf(1, expireAll)).toBeLessThan(1)
}, 600_000)
