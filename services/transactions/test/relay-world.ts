import { migrate, openDatabase, outboxReader } from '@cobro/database'
import { declareBus, openPublisher } from '@cobro/messaging'
import type { Logger } from '@cobro/runtime'
import { migratedDatabase, tapEvents, testNamespace, waitFor } from '@cobro/testing'
import { migrations } from '../migrations/all-transactions.ts'

export const schema = 'transactions'

export type RelayWorld = Awaited<ReturnType<typeof relayWorld>>

/** Creates a database with an outbox, and a broker namespace whose events are tapped. Starts no relay. */
export async function relayWorld() {
  const database = await migratedDatabase({ schema, migrations, migrate })
  const bus = testNamespace()
  await declareBus(await bus.login('migrate'), bus.namespace, ['transactions.events', 'transactions.commands'])
  const tap = await tapEvents(bus)
  const stored = async () =>
    (await database.query('select message_id from transactions.outbox order by id')).map(
      row => row.message_id as string,
    )
  return {
    ...{ database, bus, tap, stored },
    waitForEmptyOutbox: () => waitFor(async () => (await stored()).length === 0),
    /** Opens what a relay needs, with its own pool and broker connection, as in a separate process. */
    openRelayDeps: async (logger: Logger, urls: { databaseUrl?: string; amqpUrl?: string } = {}) => {
      const db = openDatabase({ url: urls.databaseUrl ?? database.url(schema), schema, entities: [] })
      const url = urls.amqpUrl ?? (await bus.login('transactions'))
      const openOwn = () => openPublisher({ url, namespace: bus.namespace, logger })
      const publisher = openOwn()
      await waitFor(publisher.connected)
      return { db, outbox: outboxReader(db), publisher, openOwn }
    },
    stop: async () => {
      await tap.close()
      await bus.cleanup()
      await database.drop()
    },
  }
}
