import { reveal, secret } from '@cobro/runtime'
import { tcpProxy, waitFor } from '@cobro/testing'
import { eventOf, startReplica } from './dispatcher-service.ts'
import { worldWithReceiver } from './dispatcher-with-receiver.ts'

// Leases last six minutes, so no lease expires during this test.
const { world, receiver, subscribe, stop } = await worldWithReceiver()
const database = await tcpProxy(reveal(world.config.DATABASE_URL))
/** If set, called once at the next claim, whose replies from the database are then held back. */
let onClaim: (() => void) | undefined
const config = { ...world.config, DATABASE_URL: secret(database.url) }
const service = await startReplica({ ...world, config }, async failpoint => {
  if (failpoint !== 'claimed' || !onClaim) return
  database.holdResponses()
  onClaim()
  onClaim = undefined
})
afterAll(async () => {
  await service.stop()
  await database.close()
  await stop()
})

const jobs = () => world.db.read(em => em.execute<{ leased: boolean }[]>('select leased from webhooks.jobs'))
const leased = async () => (await jobs()).filter(job => job.leased).length

test('deliveries of an unacknowledged claim are sent once each, as soon as PostgreSQL is reachable again', async () => {
  const { merchant, path, id } = await subscribe(service)
  const claimed = new Promise<void>(resolve => {
    onClaim = resolve
  })
  const publish = () => world.publish(eventOf(merchant.merchant_id))
  await Promise.all(Array.from({ length: 30 }, publish))
  await claimed
  await waitFor(async () => (await leased()) > 0)
  expect(receiver.at(path)).toEqual([])
  await database.shut()
  await database.open()
  await publish()
  await waitFor(async () => receiver.at(path).length === 31 && (await jobs()).length === 0)
  const { body } = await service.call(merchant, 'GET', `/api/webhook-deliveries?webhook_id=${id}&limit=100`)
  expect(body.data).toHaveLength(31)
  for (const delivery of body.data) expect(delivery).toMatchObject({ status: 'succeeded', attempt_count: 1 })
})
