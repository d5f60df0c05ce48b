import { type Database, isDatabaseUnavailable, openDatabase, outboxReader } from '@cobro/database'
import { openPublisher, startRelay } from '@cobro/messaging'
import { type Logger, type OnStop, reveal, type ServiceSettings } from '@cobro/runtime'
import { requireOwnSessions } from './require-own-sessions.ts'

type ConnectionSettings = Pick<ServiceSettings, 'DATABASE_URL' | 'AMQP_URL' | 'AMQP_NAMESPACE' | 'TLS_BY_MESH'>

type SchemaSettings = Omit<Parameters<typeof openDatabase>[0], 'url'>

interface ServiceSchema extends SchemaSettings {
  /** Whether the schema has an outbox that a relay publishes; default true. */
  outbox?: boolean
}

/** Opens a service's schema until the process stops. */
export function openSchema(url: ServiceSettings['DATABASE_URL'], schema: SchemaSettings, onStop: OnStop): Database {
  const db = openDatabase({ url: reveal(url), ...schema })
  onStop(db.close)
  return db
}

/**
 * Opens database and broker connections, and starts the outbox relay. An unavailable server does not fail the start.
 * `consumer` has the options that all consumers of the service share.
 */
export async function openConnections(
  config: ConnectionSettings,
  { outbox = true, ...schema }: ServiceSchema,
  onStop: OnStop,
  logger: Logger,
) {
  const { TLS_BY_MESH: connections } = config
  if (connections) logger.warn({ connections }, 'TLS_BY_MESH is set: a mesh has to encrypt these connections')
  const bus = { url: reveal(config.AMQP_URL), namespace: config.AMQP_NAMESPACE, logger }
  const db = openSchema(config.DATABASE_URL, schema, onStop)
  await requireOwnSessions(db, onStop)
  const publisher = openPublisher(bus)
  onStop(publisher.close)
  const openOwn = () => openPublisher(bus)
  if (outbox) onStop(startRelay({ outbox: outboxReader(db), publisher, openOwn, logger }).stop)
  const consumer = { ...bus, publisher, isUnavailable: isDatabaseUnavailable, ping: db.ping }
  return { bus, db, publisher, consumer }
}
