import { waitFor } from '@cobro/testing'
import type { ClaimedDelivery } from '../src/delivery-queue/claim-deliveries.ts'
import { type CompletedAttempt, recordAttempts } from '../src/sending/record-attempts.ts'
import { type QueueWorld, queueWorld } from './queue-world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await queueWorld()
})
afterAll(() => world.stop())

const response = { status_code: 500, error: null, response_body: '', retry_after: null, duration_ms: 5 }
const exhausted = (delivery: ClaimedDelivery): CompletedAttempt => ({
  delivery,
  sentAt: new Date(),
  response,
  outcome: { kind: 'exhausted' },
  trace: {},
})

test('replicas that record exhausted deliveries of the same endpoints in different orders do not deadlock', async () => {
  const endpoints = [await world.endpoint(2), await world.endpoint(2)]
  // Nothing else about the endpoints changes, so that only the exhausted deliveries write their rows.
  await world.run(`update webhooks.endpoints set last_delivery_status = 'failed', last_delivery_at = now()`)
  const claimed = await world.take()
  const [first, second] = endpoints.map(({ id }) =>
    claimed.filter(delivery => delivery.webhook_id === id).map(exhausted),
  )
  let tries = 0
  const replica = (batch: CompletedAttempt[], midway: () => Promise<unknown>) => {
    let passes = 0
    const failpoint = async () => {
      if (passes++ === 0) await midway()
    }
    const db: typeof world.db = {
      ...world.db,
      write: work =>
        world.db.write((...given) => {
          tries++
          return work(...given)
        }),
    }
    return recordAttempts({ db, failpoint }, batch)
  }
  let other: Promise<boolean[]> | undefined
  const one = await replica([first![0]!, second![0]!], async () => {
    const begun = Promise.withResolvers<void>()
    other = replica([second![1]!, first![1]!], async () => begun.resolve())
    await Promise.race([begun.promise, waitFor(async () => (await world.waiting()) > 0)])
  })
  expect([one, await other]).toEqual([
    [true, true],
    [true, true],
  ])
  expect(tries).toBe(2)
  for (const { id } of endpoints) expect(await world.endpointRow(id)).toMatchObject({ exhausted_in_a_row: 2 })
})
