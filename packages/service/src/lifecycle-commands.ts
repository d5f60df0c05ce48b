import type { QueueName } from '@cobro/contracts/broker'
import { migrate, type NamedMigration } from '@cobro/database'
import { declareBus } from '@cobro/messaging'
import { type Logger, migrationConfig, type OnStop, reveal, schemaMigrationConfig } from '@cobro/runtime'

interface ServiceDefinition {
  schema: string
  /** The queues that the service consumes. */
  queues: readonly QueueName[] | 'no broker'
  migrations: NamedMigration[]
  /** Starts the service and returns its port. */
  start: (onStop: OnStop, logger: Logger) => Promise<number>
}

/** Returns every service's commands: `start`, and `migrate` for its schema and broker topology. */
export function lifecycleCommands({ schema, queues, migrations, start }: ServiceDefinition) {
  return {
    start: async (onStop: OnStop, logger: Logger) => logger.info({ port: await start(onStop, logger) }, 'listening'),
    migrate: async (_onStop: OnStop, logger: Logger) => {
      const bus = queues === 'no broker' ? undefined : { queues, ...migrationConfig() }
      const { MIGRATION_DATABASE_URL: url } = bus ?? schemaMigrationConfig()
      logger.info({ done: await migrate({ url: reveal(url), schema, migrations }) }, 'migrated')
      if (bus) await declareBus(reveal(bus.AMQP_URL), bus.AMQP_NAMESPACE, bus.queues)
    },
  }
}
