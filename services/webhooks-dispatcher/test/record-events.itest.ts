import type { Database, OutboxRow } from '@cobro/database'
import { waitFor } from '@cobro/testing'
import type { ClaimedDelivery } from '../src/delivery-queue/claim-deliveries.ts'
import { ignoreFailpoints } from '../src/delivery-queue/failpoints.ts'
import { type CompletedAttempt, recordAttempts } from '../src/sending/record-attempts.ts'
import type { AttemptOutcome } from '../src/sending/retry-policy.ts'
import { updateWebhook } from '../src/webhooks/update-webhook.ts'
import { type QueueWorld, queueWorld } from './queue-world.ts'

let world: QueueWorld
let published: OutboxRow[] = []
beforeAll(async () => {
  world = await queueWorld()
  world.db.onMessages(rows => published.push(...rows))
})
afterAll(() => world.stop())
beforeEach(() => world.run('with jobs as (delete from webhooks.jobs) delete from webhooks.lanes'))

const statusOf = { succeeded: 200, retry: 500, failed: 500, exhausted: 500, gone: 410 }
const attemptOf = (delivery: ClaimedDelivery, outcome: AttemptOutcome): CompletedAttempt => ({
  ...{ delivery, outcome, sentAt: new Date(), trace: {} },
  response: { status_code: statusOf[outcome.kind], error: null, response_body: '', retry_after: null, duration_ms: 5 },
})
const succeeded = (delivery: ClaimedDelivery) => attemptOf(delivery, { kind: 'succeeded' })
const retried = (delivery: ClaimedDelivery) => attemptOf(delivery, { kind: 'retry', delayMs: 30_000 })

const record = (batch: CompletedAttempt[], db: Database = world.db) => {
  published = []
  return recordAttempts({ db, failpoint: ignoreFailpoints }, batch)
}
/** Records a batch and fails if that takes a transaction. */
const recordInStatement = (batch: CompletedAttempt[]) => {
  const write = () => Promise.reject(new Error('A transaction was begun.'))
  return record(batch, { ...world.db, write })
}
const namesOf = async ({ delivery_id }: ClaimedDelivery) =>
  (await world.eventsAbout(delivery_id)).map(message => message.name)
const publishedNames = () => published.map(row => [JSON.parse(row.body.toString()).target_id, row.name])

test('the event of an attempt whose lease was lost is neither stored nor published', async () => {
  await world.endpoint(2)
  const [stale, good] = await world.take()
  await world.run(`update webhooks.jobs set attempt = attempt + 1 where delivery_id = ?`, [stale!.delivery_id])
  expect(await recordInStatement([succeeded(stale!), succeeded(good!)])).toEqual([false, true])
  expect(await namesOf(stale!)).toEqual([])
  expect(await namesOf(good!)).toEqual(['webhook.delivered'])
  expect(publishedNames()).toEqual([[good!.delivery_id, 'webhook.delivered']])
  expect(published).toEqual([expect.objectContaining({ exchange: 'events', trace: {} })])
})

test('an attempt that loses its lease while it waits for the lock of another sender stores no event', async () => {
  await world.endpoint(1)
  const [stale] = await world.take()
  let recorded: Promise<boolean[]> | undefined
  await world.db.write(async tx => {
    await tx.execute('update webhooks.jobs set attempt = attempt + 1 where delivery_id = ?', [stale!.delivery_id])
    recorded = recordInStatement([retried(stale!)])
    await waitFor(async () => (await world.waiting()) > 0)
  })
  expect(await recorded).toEqual([false])
  expect([await namesOf(stale!), published]).toEqual([[], []])
})

test('an attempt whose endpoint was disabled meanwhile is recorded in one statement with the events of its cancelled retry', async () => {
  const endpoint = await world.endpoint(2)
  const other = await world.endpoint(1)
  const claimed = await world.take()
  await updateWebhook(world.deps, endpoint.merchant, endpoint.id, { status: 'disabled' })
  const [first, second, third] = claimed.toSorted(
    (a, b) => Number(a.webhook_id === other.id) - Number(b.webhook_id === other.id),
  )
  expect(await recordInStatement([retried(first!), succeeded(second!), retried(third!)])).toEqual([true, true, true])
  expect(await world.statusesOf(endpoint.id)).toEqual(['cancelled', 'succeeded'])
  expect(await world.statusesOf(other.id)).toEqual(['pending'])
  const events = [
    [first!.delivery_id, 'webhook.attempt_failed'],
    [first!.delivery_id, 'webhook.cancelled'],
    [second!.delivery_id, 'webhook.delivered'],
    [third!.delivery_id, 'webhook.attempt_failed'],
  ]
  expect(publishedNames()).toEqual(events)
  expect((await world.eventsAbout(endpoint.id)).slice(-3).map(({ target_id, name }) => [target_id, name])).toEqual(
    events.slice(0, 3),
  )
})

test('the failed attempt of a test or redelivery is recorded in one statement with its event', async () => {
  const endpoint = await world.endpoint(1)
  const [claimed] = await world.take()
  expect(await recordInStatement([attemptOf(claimed!, { kind: 'failed' })])).toEqual([true])
  expect(await world.statusesOf(endpoint.id)).toEqual(['failed'])
  expect(await namesOf(claimed!)).toEqual(['webhook.attempt_failed'])
})

test('the events of an attempt have the merchant and correlation id of its delivery', async () => {
  const endpoint = await world.endpoint(1)
  const [claimed] = await world.take()
  await recordInStatement([retried(claimed!)])
  const { merchant_id } = endpoint.merchant
  const { webhook_id, event_id, correlation_id } = claimed!
  expect(await world.eventsAbout(claimed!.delivery_id)).toEqual([
    expect.objectContaining({
      ...{ merchant_id, correlation_id, request_id: null, actor: { type: 'system', id: null } },
      data: {
        ...{ id: claimed!.delivery_id, webhook_id, event_id, attempt: 1 },
        ...{ response_status: 500, error: null, duration_ms: 5 },
      },
    }),
  ])
  expect(published.map(row => row.correlation_id)).toEqual([correlation_id])
})

test('attempts that are recorded again after a deadlock emit their events once', async () => {
  await world.endpoint(2)
  const claimed = await world.take()
  await world.asOwner(`
    create sequence webhooks.tries;
    grant usage on sequence webhooks.tries to public;
    create function webhooks.deadlock_once() returns trigger language plpgsql as $$ begin
      if nextval('webhooks.tries') = 1 then raise exception 'deadlock' using errcode = '40P01'; end if;
      return new;
    end $$;
    create trigger deadlock before update on webhooks.deliveries for each row execute function webhooks.deadlock_once()`)
  const recorded = await recordInStatement(claimed.map(retried))
  await world.asOwner('drop trigger deadlock on webhooks.deliveries')
  expect(recorded).toEqual([true, true])
  expect(await world.asOwner('select last_value from webhooks.tries')).toEqual([{ last_value: '3' }])
  for (const delivery of claimed) expect(await namesOf(delivery)).toEqual(['webhook.attempt_failed'])
  expect(publishedNames()).toEqual(claimed.map(({ delivery_id }) => [delivery_id, 'webhook.attempt_failed']))
})

test('a batch with an exhausted delivery and a 410 records all of its attempts and their events in one transaction', async () => {
  const [endpoint, closed] = [await world.endpoint(2), await world.endpoint(2)]
  const claimed = await world.take()
  const [good, last] = claimed.filter(delivery => delivery.webhook_id === endpoint.id)
  const [gone, retry] = claimed.filter(delivery => delivery.webhook_id === closed.id)
  const batch = [
    ...[succeeded(good!), attemptOf(last!, { kind: 'exhausted' })],
    ...[attemptOf(gone!, { kind: 'gone' }), retried(retry!)],
  ]
  expect(await record(batch)).toEqual([true, true, true, true])
  expect(await world.statusesOf(endpoint.id)).toEqual(['exhausted', 'succeeded'])
  expect(await world.statusesOf(closed.id)).toEqual(['cancelled', 'failed'])
  expect(publishedNames()).toEqual([
    [good!.delivery_id, 'webhook.delivered'],
    [last!.delivery_id, 'webhook.attempt_failed'],
    [last!.delivery_id, 'webhook.exhausted'],
    [gone!.delivery_id, 'webhook.attempt_failed'],
    [retry!.delivery_id, 'webhook.cancelled'],
    [closed.id, 'webhook_endpoint.disabled'],
    [retry!.delivery_id, 'webhook.attempt_failed'],
  ])
})
