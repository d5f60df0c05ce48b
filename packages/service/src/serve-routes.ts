import { checkMigrated, type Database, isDatabaseUnavailable, type NamedMigration } from '@cobro/database'
import { listenUntilStop, mountRoutes, type ServerSettings, serviceApp, verifyIdentity } from '@cobro/http'
import type { Logger, OnStop } from '@cobro/runtime'

type VerifyIdentity = Parameters<typeof verifyIdentity>
type Mounting = Parameters<typeof mountRoutes>[2]

interface Server {
  db: Database
  migrations: NamedMigration[]
  addRoutes: Parameters<typeof serviceApp>[1]
  /** Ends open event streams, so that the server can close. */
  endStreams?: () => unknown
}

interface Service extends Omit<Server, 'addRoutes'>, Pick<Mounting, 'idempotency'> {
  name: VerifyIdentity[1]
  routes: Parameters<typeof mountRoutes>[1]
}

/** Serves the operations of a service until it stops, and returns the port. */
export function serveRoutes(
  config: ServerSettings & { INTERNAL_JWKS: VerifyIdentity[0] },
  { name, routes, idempotency, ...server }: Service,
  onStop: OnStop,
  logger: Logger,
): Promise<number> {
  const authenticate = verifyIdentity(config.INTERNAL_JWKS, name)
  const addRoutes: Server['addRoutes'] = app => mountRoutes(app, routes, { authenticate, idempotency })
  return serveApp(config, { ...server, addRoutes }, onStop, logger)
}

/** Serves an app until its service stops. Returns the port. Ready once its schema is migrated. */
export function serveApp(
  config: ServerSettings,
  { db, migrations, endStreams, addRoutes }: Server,
  onStop: OnStop,
  logger: Logger,
): Promise<number> {
  const ready = () => checkMigrated(db, migrations)
  const app = serviceApp({ ready, isUnavailable: isDatabaseUnavailable, logger }, addRoutes)
  return listenUntilStop(app, config, onStop, { logger, endStreams })
}
