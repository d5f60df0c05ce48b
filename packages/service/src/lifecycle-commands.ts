import { migrate, type NamedMigration } from '@cobro/database'
import { declareBus, type QueueName } from '@cobro/messaging'
import { type Logger, migrationConfig, type OnStop, reveal, schemaMigrationConfig } from '@cobro/runtime'

interface ServiceDefinition {
  schema: string
  /** The queues that the service consumes. Omitted by a service without a broker. */
  queues?: readonly QueueName[]
  migrations: NamedMigration[]
  /** Starts the service and returns its port. */
  start: (onStop: OnStop, logger: Logger) => Promise<number>
}

/** Returns every service's commands: `start`, and `migrate` for its schema and broker topology. */
export function lifecycleCommands({ schema, queues, migrations, start }: ServiceDefinition) {
  return {
    start: async (onStop: OnStop, logger: Logger) => logger.info({ port: await start(onStop, logger) }, 'listening'),
    migrate: async (_onStop: OnStop, logger: Logger) => {
      const config = queues ? { queues, ...migrationConfig() } : { queues, ...schemaMigrationConfig() }
      const url = reveal(config.MIGRATION_DATABASE_URL)
      logger.info({ done: await migrate({ url, schema, migrations }) }, 'migrated')
      if (config.queues) await declareBus(reveal(config.AMQP_URL), config.AMQP_NAMESPACE, config.queues)
    },
  }
}
