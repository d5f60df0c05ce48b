import { idempotencyOf } from '@cobro/database'
import { createLogger } from '@cobro/runtime'
import { getDelivery, listDeliveries } from '../src/webhook-deliveries/list-deliveries.ts'
import { redeliver } from '../src/webhook-deliveries/redeliver.ts'
import { type QueueWorld, queueWorld } from './queue-world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await queueWorld()
})
afterAll(() => world.stop())

const sender = { wake: () => undefined }
const numbersOf = ({ attempts }: { attempts: { number: number }[] }) => attempts.map(attempt => attempt.number)
const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** Creates a delivery with a number of attempts, the last of them a success. */
async function delivered(attempts: number) {
  const endpoint = await world.endpoint(1)
  const [claimed] = await world.take()
  await world.record(claimed!, 200, { kind: 'succeeded' })
  const id = claimed!.delivery_id
  await world.run(
    `insert into webhooks.attempts (delivery_id, number, at, status_code)
     select ?, number, now(), 200 from generate_series(2, ?::integer) number`,
    [id, attempts],
  )
  await world.run('update webhooks.deliveries set attempt_count = ? where id = ?', [attempts, id])
  const query = { limit: 50, offset: 0, order: 'created_at', dir: 'desc', filters: {} } as never
  return {
    ...endpoint,
    id,
    read: () => getDelivery(world, endpoint.merchant, id),
    listed: async () => (await listDeliveries(world, endpoint.merchant, query)).data[0]!,
  }
}

test('a list shows the newest five attempts of each delivery, and a single delivery its newest hundred', async () => {
  const delivery = await delivered(105)
  expect(numbersOf(await delivery.listed())).toEqual(from(101, 105))
  expect(numbersOf(await delivery.read())).toEqual(from(6, 105))
  expect(await delivery.listed()).toMatchObject({ attempt_count: 105 })
})

test('a delivery in flight shows as many completed attempts as others', async () => {
  const delivery = await delivered(6)
  await redeliver({ ...world, sender }, delivery.merchant, delivery.id)
  expect(numbersOf(await delivery.listed())).toEqual(from(2, 6))
  const [claimed] = await world.take()
  expect(await delivery.listed()).toMatchObject({ status: 'delivering', attempt_count: 7 })
  expect(numbersOf(await delivery.listed())).toEqual(from(2, 6))
  await world.record(claimed!, 200, { kind: 'succeeded' })
  expect(numbersOf(await delivery.listed())).toEqual(from(3, 7))
})

test('a delivery with a hundred attempts cannot be redelivered', async () => {
  const delivery = await delivered(99)
  await redeliver({ ...world, sender }, delivery.merchant, delivery.id)
  const [claimed] = await world.take()
  await world.record(claimed!, 500, { kind: 'failed' })
  await expect(redeliver({ ...world, sender }, delivery.merchant, delivery.id)).rejects.toMatchObject({
    code: 'conflict',
    detail: expect.stringContaining('has had its 100 attempts'),
  })
  expect(await delivery.read()).toMatchObject({ status: 'failed', attempt_count: 100 })
})

test('a redelivery wakes the sender after its commit, also with an Idempotency-Key', async () => {
  const delivery = await delivered(1)
  const seen: Promise<number>[] = []
  const wake = () => {
    seen.push(
      world.db
        .read(em => em.execute('select 1 from webhooks.jobs where delivery_id = ?', [delivery.id]))
        .then(claims => claims.length),
    )
  }
  const keyed = idempotencyOf({ db: world.db, logger: createLogger('webhooks-dispatcher', 'silent') })
  await keyed.once({ id: 'key', body_hash: '', lease: undefined, secret: false }, async () => {
    await redeliver({ ...world, sender: { wake } }, delivery.merchant, delivery.id)
    expect(seen).toEqual([])
    return { status: 202, body: '{}' }
  })
  expect(await Promise.all(seen)).toEqual([1])
})
