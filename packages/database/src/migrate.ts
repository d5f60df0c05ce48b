import { setTimeout } from 'node:timers/promises'
import { Migration, Migrator } from '@mikro-orm/migrations'
import { type MigrationObject, MikroORM } from '@mikro-orm/postgresql'
import { isLockTimeout, isRetryable } from './database-errors.ts'
import type { Database } from './open-database.ts'
import { ormOptions } from './orm-options.ts'

/** A migration of a schema. */
export interface NamedMigration {
  name: string
  class: MigrationObject['class']
  /** Each is sent separately. */
  statements: readonly string[]
  /** Whether all statements run in one transaction. */
  transactional: boolean
}

interface MigrateOptions {
  url: string
  schema: string
  migrations: NamedMigration[]
}

const tableName = 'migrations'
const lockPollMs = 250
/** The lock timeout per table, because queries queue behind the lock, and the retry delay. */
const tableLockTimeoutMs = 2_000
/** Ten minutes in all. */
const maxTries = 150

/** Declares a migration as SQL text. Unqualified names refer to the service's own schema. */
export function migration(name: string, sql: string): NamedMigration {
  return named(name, [sql], true)
}

/**
 * Declares a migration of statements without a transaction, for indexes created `concurrently`.
 * If it fails halfway, the next run starts it again, so every statement must be idempotent.
 */
export function migrationInSteps(name: string, statements: readonly string[]): NamedMigration {
  return named(name, statements, false)
}

function named(name: string, statements: readonly string[], transactional: boolean): NamedMigration {
  class SqlMigration extends Migration {
    override up(): void {
      for (const statement of statements) this.addSql(statement)
    }
    override isTransactional(): boolean {
      return transactional
    }
  }
  return { name, class: SqlMigration, statements, transactional }
}

/**
 * Runs a schema's pending migrations, one process at a time, and returns their names.
 * Logs in as the migrator and takes the schema owner's role, which cannot log in itself. Consecutive transactional
 * migrations share one transaction, which is retried while another session locks a table that it needs.
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const orm = migratorOf(options, options.migrations)
  const pool = await orm.em.getConnection().getNativeClient()
  const client = await pool.connect()
  try {
    await acquireLock(sql => client.query(sql, [`migrate:${options.schema}`]))
    const missing = new Set((await orm.migrator.getPending()).map(step => step.name))
    for (const batch of batchesOf(options.migrations.filter(({ name }) => missing.has(name))))
      await runBatch(options, batch)
    return [...missing]
  } finally {
    client.release(true)
    await orm.close(true)
  }
}

/**
 * Polls for the advisory lock, because waiting for it could deadlock without Postgres noticing:
 * `create index concurrently` in the process that holds the lock waits for all open statements, including one that
 * waits for the lock. The process uses separate connections for the two.
 */
async function acquireLock(query: (sql: string) => Promise<{ rows: { held: boolean }[] }>): Promise<void> {
  const held = async () => (await query('select pg_try_advisory_lock(hashtextextended($1, 0)) as held')).rows[0]?.held
  while (!(await held())) await setTimeout(lockPollMs)
}

/** Groups consecutive migrations that are all transactional or all not. */
function batchesOf(migrations: NamedMigration[]): NamedMigration[][] {
  const found: NamedMigration[][] = []
  for (const step of migrations) {
    const last = found.at(-1)
    if (last?.[0]?.transactional === step.transactional) last.push(step)
    else found.push([step])
  }
  return found
}

async function runBatch(options: MigrateOptions, batch: NamedMigration[]): Promise<void> {
  const orm = migratorOf(options, batch)
  try {
    await retryWhileLocked(() => orm.migrator.up())
  } finally {
    await orm.close(true)
  }
}

async function retryWhileLocked(work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return void (await work())
    } catch (error) {
      if (tries === maxTries || !(isLockTimeout(error) || isRetryable(error))) throw error
    }
    await setTimeout(tableLockTimeoutMs)
  }
}

function migratorOf({ url, schema }: MigrateOptions, migrations: NamedMigration[]): MikroORM {
  const base = ormOptions({ url, schema, entities: [], poolSize: 2 })
  const allOrNothing = migrations.every(step => step.transactional)
  return new MikroORM({
    ...base,
    driverOptions: {
      ...base.driverOptions,
      // Whatever the URL says: six migrate commands may start at once on a machine that has just started the server.
      connectionTimeoutMillis: 30_000,
      // A migration may take long. One without a transaction may also wait long for a lock: it blocks no other queries meanwhile.
      ...{ statement_timeout: 0, lock_timeout: allOrNothing ? tableLockTimeoutMs : 0, query_timeout: 0 },
      options: `-c role=cobro_${schema}_owner -c search_path=${schema},public`,
    },
    extensions: [Migrator],
    migrations: {
      migrationsList: migrations,
      tableName,
      snapshot: false,
      silent: true,
      allOrNothing,
    },
  })
}

/** Rejects unless the database responds and its schema has the newest migration of this code. */
export async function checkMigrated(db: Database, migrations: NamedMigration[]): Promise<void> {
  const newest = migrations.at(-1)?.name
  const rows = await db.execute(`select 1 from ${db.schema}.${tableName} where name = ?`, [newest])
  if (rows.length === 0)
    throw new Error(`The schema ${db.schema} is not at migration ${newest}: run the migrate command.`)
}
