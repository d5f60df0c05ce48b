import { setTimeout } from 'node:timers/promises'
import { Migration, Migrator } from '@mikro-orm/migrations'
import { type MigrationObject, MikroORM } from '@mikro-orm/postgresql'
import { isLockTimeout, isRetryable } from './database-errors.ts'
import { type Database, ormOptions } from './open-database.ts'

/** A step of a schema's history. */
export interface NamedMigration {
  name: string
  class: MigrationObject['class']
  /** Each is sent by itself. */
  statements: readonly string[]
  /** Whether it is carried out as a whole or not at all. */
  transactional: boolean
}

interface MigrateOptions {
  url: string
  schema: string
  migrations: NamedMigration[]
}

const tableName = 'migrations'
const askForLockEveryMs = 250
/** For so long each table is waited for, and all who come after wait behind. For as long it is then left to them. */
const waitForTableMs = 2_000
/** Ten minutes in all. */
const maxTries = 150

/** Declares a migration as SQL text. Unqualified names mean the service's own schema. */
export function migration(name: string, sql: string): NamedMigration {
  return named(name, [sql], true)
}

/**
 * Declares a migration that is carried out without a transaction, one statement after another: for indexes that are made while
 * their table is written to (`concurrently`). Where it breaks off, the next run begins it anew, so each statement has to
 * bear being repeated.
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
 * Brings a schema to its newest migration, one process at a time. Logs in as the migrator and takes the schema owner's
 * role, which cannot log in itself. Migrations up to the next one in steps are one transaction, which is tried anew where
 * somebody holds a table that it needs.
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const orm = migratorOf(options, options.migrations)
  const pool = await orm.em.getConnection().getNativeClient()
  const client = await pool.connect()
  try {
    await holdLock(sql => client.query(sql, [`migrate:${options.schema}`]))
    const missing = new Set((await orm.migrator.getPending()).map(step => step.name))
    for (const stretch of stretches(options.migrations.filter(({ name }) => missing.has(name))))
      await carryOut(options, stretch)
    return [...missing]
  } finally {
    client.release(true)
    await orm.close(true)
  }
}

/**
 * Asks again until the lock is free. A statement that waits for it would be waited for by an index that the lock's holder makes
 * concurrently, and the two would wait for ever: the server sees no circle, since the holder does both by separate connections.
 */
async function holdLock(ask: (sql: string) => Promise<{ rows: { held: boolean }[] }>): Promise<void> {
  const held = async () => (await ask('select pg_try_advisory_lock(hashtextextended($1, 0)) as held')).rows[0]?.held
  while (!(await held())) await setTimeout(askForLockEveryMs)
}

/** Those that follow one another and are alike in whether they are transactional. */
function stretches(migrations: NamedMigration[]): NamedMigration[][] {
  const found: NamedMigration[][] = []
  for (const step of migrations) {
    const last = found.at(-1)
    if (last?.[0]?.transactional === step.transactional) last.push(step)
    else found.push([step])
  }
  return found
}

async function carryOut(options: MigrateOptions, stretch: NamedMigration[]): Promise<void> {
  const orm = migratorOf(options, stretch)
  try {
    await patiently(() => orm.migrator.up())
  } finally {
    await orm.close(true)
  }
}

async function patiently(work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return void (await work())
    } catch (error) {
      if (tries === maxTries || !(isLockTimeout(error) || isRetryable(error))) throw error
    }
    await setTimeout(waitForTableMs)
  }
}

function migratorOf({ url, schema }: MigrateOptions, migrations: NamedMigration[]): MikroORM {
  const base = ormOptions({ url, schema, entities: [], poolSize: 2 })
  const allOrNothing = migrations.every(step => step.transactional)
  return new MikroORM({
    ...base,
    driverOptions: {
      ...base.driverOptions,
      // Six of them may start at once on a machine that has just started the server.
      connectionTimeoutMillis: 30_000,
      // A migration may take its time. Nobody waits behind one in steps, for whatever it waits.
      ...{ statement_timeout: 0, lock_timeout: allOrNothing ? waitForTableMs : 0, query_timeout: 0 },
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

/** Fails unless the database answers and its schema is at the newest migration that this code knows. */
export async function checkMigrated(db: Database, migrations: NamedMigration[]): Promise<void> {
  const newest = migrations.at(-1)?.name
  const rows = await db.read(em => em.execute(`select 1 from ${db.schema}.${tableName} where name = ?`, [newest]))
  if (rows.length === 0)
    throw new Error(`The schema ${db.schema} is not at migration ${newest}: run the migrate command.`)
}
