import { waitFor } from '@cobro/testing'
import { eventOf } from './dispatcher-service.ts'
import { encryptionKeysWorld, newKey, oldKey } from './encryption-keys-world.ts'

const { world, receiver, replicaWith, subscribedWith, stop } = await encryptionKeysWorld()
afterAll(stop)

const run = <T>(sql: string, params: unknown[] = []) => world.db.read(em => em.execute<T[]>(sql, params))
const dueNow = async () => {
  await run(`update webhooks.jobs set due_at = now() where not leased`)
  await run(`update webhooks.lanes set next_due = now()`)
}

test('a delivery whose encryption key is missing waits without an attempt, and is sent once the key is back', async () => {
  const { merchant, path, id } = await subscribedWith(oldKey)
  const without = await replicaWith(newKey)
  await world.publish(eventOf(merchant.merchant_id))
  const requeued = `
    select 1 from webhooks.jobs where attempt = 0 and not leased and due_at > now() + interval '30 seconds'`
  await waitFor(async () => (await run(requeued)).length === 1)
  // More times than a delivery has attempts.
  for (let times = 1; times <= 6; times++) {
    await dueNow()
    await waitFor(async () => (await run(requeued)).length === 1)
  }
  const read = async (replica: typeof without) =>
    (await replica.call(merchant, 'GET', `/api/webhook-deliveries?webhook_id=${id}`)).body.data[0]
  expect(await read(without)).toMatchObject({
    status: 'pending',
    attempt_count: 0,
    attempts: [],
    next_attempt_at: expect.any(String),
  })
  expect(await run('select status, exhausted_in_a_row from webhooks.endpoints where id = ?', [id])).toEqual([
    { status: 'active', exhausted_in_a_row: 0 },
  ])
  expect(receiver.at(path)).toEqual([])
  await without.stop()

  const after = await replicaWith(newKey, oldKey)
  await dueNow()
  await waitFor(async () => (await read(after)).status === 'succeeded')
  expect(await read(after)).toMatchObject({ attempt_count: 1, attempts: [{ number: 1, status_code: 200 }] })
  await after.stop()
})

test('a webhook is signed with the current secret only if the previous one cannot be decrypted', async () => {
  const { merchant, path, id } = await subscribedWith(newKey)
  const replica = await replicaWith(newKey)
  await replica.call(merchant, 'POST', `/api/webhooks/${id}/rotate`)
  await run(`update webhooks.endpoints set previous_secret = 'gone.AAAA' where id = ?`, [id])
  await world.publish(eventOf(merchant.merchant_id))
  const { headers } = await waitFor(() => receiver.at(path)[0])
  expect(headers['x-service-signature-v1']).toMatch(/^[0-9a-f]{64}$/)
  expect(headers['x-service-signature-v1-previous']).toBeUndefined()
  await replica.stop()
})
