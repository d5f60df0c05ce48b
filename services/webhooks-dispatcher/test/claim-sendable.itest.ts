import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@cobro/database'
import { createLogger } from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import { usualClaim } from '../src/delivery-queue/claim-deliveries.ts'
import { ignoreFailpoints } from '../src/delivery-queue/failpoints.ts'
import { claimSendable } from '../src/sending/claim-sendable.ts'
import { startSender } from '../src/sending/start-sender.ts'
import type { DirectClaim } from '../src/webhook-deliveries/fan-out-events.ts'
import { type QueueWorld, queueWorld, unlimited } from './queue-world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await queueWorld()
})
afterAll(() => world.stop())
beforeEach(() => world.run('with jobs as (delete from webhooks.jobs) delete from webhooks.lanes'))

const jobOf = async (webhookId: string) =>
  (await world.run('select attempt, leased, claim, due_at from webhooks.jobs where webhook_id = ?', [webhookId]))[0]
const namesOf = async (webhookId: string) => (await world.eventsAbout(webhookId)).map(message => message.name).slice(1)

test('a claim of deliveries that are only sent takes one statement', async () => {
  const endpoint = await world.endpoint(2)
  const write = () => Promise.reject(new Error('A transaction was begun.'))
  const deps = { db: { ...world.db, write }, retryDelaysMs: [30_000], failpoint: ignoreFailpoints }
  const { deliveries, queues } = await claimSendable(deps, { id: randomUUID(), ...unlimited }, false)
  expect(deliveries).toHaveLength(2)
  expect(queues).toEqual([{ webhook_id: endpoint.id, full: false, more: false, deferred: false }])
})

const job = (values: string) => `update webhooks.jobs set ${values} where webhook_id = ?`
const disable = `update webhooks.endpoints set status = 'disabled' where id = ?`
const remove = 'delete from webhooks.endpoints where id = ?'

test.each([
  ['a delivery whose sender died', job('attempt = 1, leased = true'), ['webhook.attempt_failed']],
  ['a delivery whose endpoint was disabled', disable, ['webhook.cancelled']],
  ['a delivery whose endpoint was deleted', remove, ['webhook.cancelled']],
  ['a delivery without attempts left', job('attempt = 5'), ['webhook.exhausted']],
  ['a redelivery without attempts left', job('attempt = 7, one_shot_after = 2'), []],
])('a claim in one statement defers %s, and a claim with events includes it', async (_which, change, names) => {
  const endpoint = await world.endpoint(1)
  const other = await world.endpoint(1)
  await world.run(change, [endpoint.id])
  const before = await jobOf(endpoint.id)
  const { deliveries, queues } = await world.claim()
  expect(deliveries.map(delivery => delivery.webhook_id)).toEqual([other.id])
  expect(queues.find(queue => queue.webhook_id === endpoint.id)).toMatchObject({ deferred: true, more: true })
  expect(queues.find(queue => queue.webhook_id === other.id)).toMatchObject({ deferred: false, more: false })
  expect([await jobOf(endpoint.id), await namesOf(endpoint.id)]).toEqual([before, []])
  const { queues: after } = await world.claim({}, { withEvents: true })
  expect(after).toEqual([expect.objectContaining({ webhook_id: endpoint.id, deferred: false })])
  expect(await jobOf(endpoint.id)).not.toEqual(before)
  expect(await namesOf(endpoint.id)).toEqual(names)
})

test('a redelivery with attempts left is claimed in one statement, however many attempts came before it', async () => {
  const endpoint = await world.endpoint(1)
  await world.run(job('attempt = 6, one_shot_after = 6'), [endpoint.id])
  expect((await world.claim()).deliveries).toMatchObject([{ attempt: 7, one_shot_after: 6 }])
})

test('deferred deliveries do not keep an endpoint from sending the others, nor count as in flight', async () => {
  const endpoint = await world.endpoint(12)
  const [first] = (await world.claim({ maxPerEndpoint: 1 })).deliveries
  await world.run(`update webhooks.jobs set due_at = now() - interval '1 hour' where leased`)
  const { deliveries, queues } = await world.claim()
  expect([deliveries.length, queues[0]]).toMatchObject([9, { full: false, more: true, deferred: true }])
  const next = await world.claim({ woken: [endpoint.id] }, { withEvents: true })
  expect(next.deliveries).toMatchObject([{ delivery_id: first!.delivery_id, attempt: 2, abandoned: true }])
  expect(next.queues[0]).toMatchObject({ full: true, more: false, deferred: false })
})

test('a deferred delivery is sent although the queues of 63 other endpoints are always due', async () => {
  const { id, url } = await world.endpoint(1)
  await world.run(job('attempt = 1, leased = true'), [id])
  await world.run(`update webhooks.lanes set served_at = now() - interval '1 hour'`)
  await world.run(
    `with lane as (
       insert into webhooks.lanes (webhook_id, merchant_id, next_due) select 'whk_' || n, 'mrc_' || n, now() from generate_series(1, 63) n
       returning webhook_id
     )
     insert into webhooks.jobs (delivery_id, webhook_id, due_at) select webhook_id, webhook_id, now() from lane`,
  )
  const sent: string[] = []
  await world.db.write(async tx => {
    // As if another replica was claiming these deliveries for as long as the test runs.
    await tx.execute('select from webhooks.jobs where webhook_id <> ? for update', [id])
    const sender = senderTo(sent)
    await waitFor(() => sent.length > 0).finally(sender.stop)
  })
  expect(sent).toEqual([url])
})

test('endpoints whose merchant has spent its budget wait for the next second, whatever wakes them', async () => {
  const { id } = await world.endpoint(9)
  const sent: string[] = []
  let claims = 0
  const execute: typeof world.db.execute = (sql, params = []) => {
    // Polls name no endpoint.
    if (sql === usualClaim && params[0] === `{${id}}`) claims++
    return world.db.execute(sql, params)
  }
  const sender = senderTo(sent, { db: { ...world.db, execute }, sendsPerSecond: 3 })
  await waitFor(() => sent.length === 3)
  for (let call = 0; call < 50; call++) {
    sender.wake([id])
    await sleep(2)
  }
  // A machine that was busy for long may have reached the next second.
  expect(claims).toBeLessThan(5)
  await waitFor(() => claims > 0)
  await waitFor(() => sent.length === 9).finally(sender.stop)
})

test('a fan-out leases nothing beside a claim that takes long, and does once that has ended', async () => {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const execute: typeof world.db.execute = async (sql, params = []) => {
    if (sql !== usualClaim) return world.db.execute(sql, params)
    begun.resolve()
    await ended.promise
    return []
  }
  const sender = senderTo([], { db: { ...world.db, execute } })
  const claims: (DirectClaim | undefined)[] = []
  const fanOut = async (claim?: DirectClaim) => {
    claims.push(claim)
    return { deliveries: [], woken: [] }
  }
  await begun.promise
  await sender.sendNew(fanOut)
  expect(claims).toEqual([undefined])
  ended.resolve()
  await waitFor(async () => {
    await sender.sendNew(fanOut)
    return claims.at(-1) !== undefined
  })
  expect(claims.at(-1)).toMatchObject({ capacity: 500 })
  await sender.stop()
})

/** Starts a sender that sends nothing, but notes the URLs. */
function senderTo(sent: string[], deps: { db?: Database; sendsPerSecond?: number } = {}) {
  return startSender({
    ...{ db: world.db, keys: world.deps.keys, logger: createLogger('webhooks-dispatcher', 'silent') },
    ...{ retryDelaysMs: [30_000, 30_000], timeoutMs: 1_000, leaseMs: 60_000, sendsPerSecond: 1_000 },
    post: async to => {
      sent.push(to)
      return { status_code: 200, error: null, response_body: '', retry_after: null, duration_ms: 5 }
    },
    failpoint: ignoreFailpoints,
    ...deps,
  })
}
