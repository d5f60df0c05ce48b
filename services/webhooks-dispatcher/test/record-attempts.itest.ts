import { waitFor } from '@cobro/testing'
import type { Job } from '../src/sending/claim-jobs.ts'
import { concludeAttempts, type EndedAttempt } from '../src/sending/conclude-attempts.ts'
import { type QueueWorld, queueWorld } from './queue-world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await queueWorld()
})
afterAll(() => world.stop())

const answer = { status_code: 500, error: null, response_body: '', retry_after: null, duration_ms: 5 }
const usedUp = (job: Job): EndedAttempt => ({ job, at: new Date(), answer, outcome: { kind: 'exhausted' }, trace: {} })

/** Whether somebody waits for what another transaction has locked. */
const isWaiting = async () =>
  (
    await world.asOwner(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  ).length > 0

test('replicas that use up deliveries of the same endpoints, in whatever order, do not wait for each other in a circle', async () => {
  const endpoints = [await world.endpoint(2), await world.endpoint(2)]
  // Nothing else about them changes, so that only what is used up writes their rows.
  await world.run(`update webhooks.endpoints set last_delivery_status = 'failed', last_delivery_at = now()`)
  const jobs = await world.take()
  const [first, second] = endpoints.map(({ id }) => jobs.filter(job => job.webhook_id === id).map(usedUp))
  let tries = 0
  const replica = (batch: EndedAttempt[], inBetween: () => Promise<unknown>) => {
    let steps = 0
    const atStep = async () => {
      if (steps++ === 0) await inBetween()
    }
    const db: typeof world.db = {
      ...world.db,
      write: work =>
        world.db.write((...given) => {
          tries++
          return work(...given)
        }),
    }
    return concludeAttempts({ db, atStep }, batch)
  }
  let other: Promise<boolean[]> | undefined
  const one = await replica([first![0]!, second![0]!], async () => {
    const begun = Promise.withResolvers<void>()
    other = replica([second![1]!, first![1]!], async () => begun.resolve())
    await Promise.race([begun.promise, waitFor(isWaiting)])
  })
  expect([one, await other]).toEqual([
    [true, true],
    [true, true],
  ])
  expect(tries).toBe(2)
  for (const { id } of endpoints) expect(await world.endpointRow(id)).toMatchObject({ exhausted_in_a_row: 2 })
})
