import { checkMigrated, type Database, isDatabaseUnavailable, type NamedMigration } from '@cobro/database'
import { listenUntilStop, type ServerSettings, serviceApp, verifyIdentity } from '@cobro/http'
import type { Logger, OnStop } from '@cobro/runtime'

type VerifyIdentity = Parameters<typeof verifyIdentity>
type AppOptions = Parameters<typeof serviceApp>[0]

interface Service extends Pick<AppOptions, 'routes' | 'idempotency'> {
  name: VerifyIdentity[1]
  db: Database
  migrations: NamedMigration[]
  /** Ends open event streams, so that the server can close. */
  endStreams?: () => unknown
}

/** Serves a service's routes until it stops, and returns the port. The service is ready once its schema is migrated. */
export function serveRoutes(
  config: ServerSettings & { INTERNAL_JWKS: VerifyIdentity[0] },
  { name, db, migrations, endStreams, ...options }: Service,
  onStop: OnStop,
  logger: Logger,
): Promise<number> {
  const app = serviceApp({
    ...options,
    authenticate: verifyIdentity(config.INTERNAL_JWKS, name),
    ready: () => checkMigrated(db, migrations),
    isUnavailable: isDatabaseUnavailable,
    logger,
  })
  return listenUntilStop(app, config, onStop, endStreams)
}
