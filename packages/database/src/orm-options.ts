import type { Options } from '@mikro-orm/postgresql'
import type { Pool, PoolClient } from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import { coalescingSocket } from './coalescing-socket.ts'
import { observePool } from './pool-metrics.ts'
import { nameStatements } from './statement-names.ts'

/** What to open, and how long to wait for it. */
export interface DatabaseSettings {
  url: string
  schema: string
  entities: NonNullable<Options['entities']>
  poolSize?: number
  /** Postgres's `statement_timeout`, in milliseconds. */
  statementTimeoutMs?: number
  /** How long the client waits for a response, in ms; by default statement timeout plus 5 s. */
  queryTimeoutMs?: number
  /** `idle_in_transaction_session_timeout` in ms: Postgres ends the session and frees its locks. */
  idleInTransactionTimeoutMs?: number
  /**
   * Whether Postgres reads a table whole only where it has no index for a query. For schemas with queues: a plan that was
   * made while a queue was short is kept when thousands of dead rows are in it (ADR 95).
   */
  prefersIndexes?: boolean
}

const defaultConnectTimeout = 3

/**
 * Time limits that keep statements, locks and idle transactions from holding a connection long.
 * The query timeout, above the statement timeout, is for a server that hangs without closing the connection. It includes the wait
 * for statements that were sent before, such as the one right before a commit.
 */
const timeLimits = {
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  lock_timeout: 10_000,
}

/**
 * Returns MikroORM's options for one schema, with a pool that connects lazily.
 * A call waits three seconds for a connection, or the URL's `connect_timeout`; unlike libpq's, it covers a full pool. `onPool` gets
 * the pool when it is made.
 */
export function ormOptions(
  {
    url,
    schema,
    entities,
    poolSize = 16,
    statementTimeoutMs = 20_000,
    queryTimeoutMs = statementTimeoutMs + 5_000,
    idleInTransactionTimeoutMs = 30_000,
    prefersIndexes = false,
  }: DatabaseSettings,
  onPool?: (pool: Pool) => void,
): Options {
  return {
    clientUrl: url,
    schema,
    entities,
    discovery: { warnWhenNoEntities: false },
    pool: { min: 0, max: poolSize },
    driverOptions: {
      connectionTimeoutMillis:
        (Number(new URL(url).searchParams.get('connect_timeout')) || defaultConnectTimeout) * 1_000,
      application_name: `cobro-${schema}`,
      ...tlsOptions(url),
      onPoolCreated: (pool: Pool) => {
        if (prefersIndexes) pool.on('connect', preferIndexes)
        nameStatements(pool)
        observePool(pool)
        onPool?.(pool)
      },
      // A statement can be sent before the answer to the one before. A connection on which a query timed out is closed: pg could
      // not use it again.
      pipeline: true,
      stream: coalescingSocket,
      ...timeLimits,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
      query_timeout: queryTimeoutMs,
    },
    forceUtcTimezone: true,
    ensureDatabase: false,
    debug: false,
  } as Options
}

/**
 * Without an index Postgres still reads the table. Releases before 18 then expect such a cost that they would
 * compile the plan. Not parameters of the start, which a pooler has to know. Fails only with the connection, and then so does
 * the next statement.
 */
function preferIndexes(client: PoolClient): void {
  client
    .query(`select set_config('enable_seqscan', 'off', false), set_config('jit', 'off', false)`)
    .catch(() => undefined)
}

/**
 * Returns the TLS options in the URL: `sslmode`, `sslrootcert`, `sslcert`, `sslkey`. MikroORM ignores them.
 * pg checks the certificate of a server that is named by its address against `localhost`, unless it gets the `host`.
 */
function tlsOptions(url: string): object {
  const { ssl } = parseIntoClientConfig(url)
  return typeof ssl === 'object' ? { ssl: { ...ssl, host: new URL(url).hostname } } : { ssl }
}
