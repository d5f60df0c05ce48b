import { reveal, secret } from '@cobro/runtime'
import { tcpProxy, waitFor } from '@cobro/testing'
import { maxInFlightPerEndpoint } from '../src/delivery-queue/claim-deliveries.ts'
import { eventOf, startReplica } from './dispatcher-service.ts'
import { worldWithReceiver } from './dispatcher-with-receiver.ts'

// Leases last six minutes, so no lease expires during this test.
const { world, receiver, subscribe, stop } = await worldWithReceiver()
const database = await tcpProxy(reveal(world.config.DATABASE_URL))
const config = { ...world.config, DATABASE_URL: secret(database.url) }
const service = await startReplica({ ...world, config })
afterAll(async () => {
  await service.stop()
  await database.close()
  await stop()
})

const jobs = () => world.db.read(em => em.execute<{ leased: boolean }[]>('select leased from webhooks.jobs'))
const leased = async () => (await jobs()).filter(job => job.leased).length

/** Returns how many statements wait for a kind of lock. */
const waitingFor = async (kind: 'advisory' | 'transactionid') =>
  (
    await world.asOwner(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and wait_event = '${kind}'`,
    )
  ).length

/** Publishes events, and calls `during` while the statement is executed that leases their deliveries by an insert or an update. */
async function duringClaim(by: 'insert' | 'update', publish: () => Promise<void>, during: () => void): Promise<void> {
  await world.asOwner(`
    create or replace function webhooks.wait_for_test() returns trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock_shared(1);
      return new;
    end $$;
    create or replace trigger wait before ${by} on webhooks.jobs for each row when (new.leased)
      execute function webhooks.wait_for_test()`)
  await world.db.write(async tx => {
    await tx.execute('select pg_advisory_xact_lock(1)')
    await publish()
    await waitFor(async () => (await waitingFor('advisory')) > 0)
    during()
  })
}

test.each([
  // No more than an endpoint may have in flight, or those of a large batch are left to a claim from the queue.
  ['made the deliveries', 'insert', maxInFlightPerEndpoint - 1],
  ['found them in the queue', 'update', 30],
] as const)(
  'deliveries of an unacknowledged claim that %s are sent once each, as soon as PostgreSQL is reachable again',
  async (_name, by, count) => {
    const { merchant, path, id } = await subscribe(service)
    const publish = () => world.publish(eventOf(merchant.merchant_id))
    const publishMany = async () => {
      await Promise.all(Array.from({ length: count }, publish))
    }
    const publishToQueue = () =>
      world.db.write(async tx => {
        // As if another replica served the endpoint meanwhile: then its new deliveries are not leased as they are made.
        await tx.execute('update webhooks.lanes set served_at = clock_timestamp() where webhook_id = ?', [id])
        await publishMany()
        await waitFor(async () => (await waitingFor('transactionid')) > 0)
      })
    await duringClaim(by, by === 'insert' ? publishMany : publishToQueue, database.holdResponses)
    await waitFor(async () => (await leased()) > 0)
    expect(receiver.at(path)).toEqual([])
    await database.shut()
    await database.open()
    await publish()
    await waitFor(async () => receiver.at(path).length === count + 1 && (await jobs()).length === 0)
    const { body } = await service.call(merchant, 'GET', `/api/webhook-deliveries?webhook_id=${id}&limit=100`)
    expect(body.data).toHaveLength(count + 1)
    for (const delivery of body.data) expect(delivery).toMatchObject({ status: 'succeeded', attempt_count: 1 })
  },
)
