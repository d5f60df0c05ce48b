import { Migration, Migrator } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/postgresql'
import { type Database, ormOptions } from './open-database.ts'

/** A step of a schema's history. */
export interface NamedMigration {
  name: string
  class: typeof Migration
}

const tableName = 'migrations'

/** Declares a migration as SQL text. Unqualified names mean the service's own schema. */
export function migration(name: string, sql: string): NamedMigration {
  class SqlMigration extends Migration {
    override up(): void {
      this.addSql(sql)
    }
  }
  return { name, class: SqlMigration as unknown as typeof Migration }
}

/**
 * Brings a schema to its newest migration, one process at a time. Logs in as the migrator and takes the schema owner's
 * role, which cannot log in itself.
 */
export async function migrate(options: {
  url: string
  schema: string
  migrations: NamedMigration[]
}): Promise<string[]> {
  const { url, schema, migrations } = options
  const base = ormOptions({ url, schema, entities: [], poolSize: 2 })
  const orm = new MikroORM({
    ...base,
    driverOptions: {
      ...base.driverOptions,
      // A migration may take its time, and waits for another one that runs.
      ...{ statement_timeout: 0, lock_timeout: 0, query_timeout: 0 },
      options: `-c role=cobro_${schema}_owner -c search_path=${schema},public`,
    },
    extensions: [Migrator],
    migrations: { migrationsList: migrations as never, tableName, snapshot: false, silent: true },
  })
  const pool = await orm.em.getConnection().getNativeClient()
  const client = await pool.connect()
  try {
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [`migrate:${schema}`])
    const done = await orm.migrator.up()
    return done.map(step => step.name)
  } finally {
    client.release(true)
    await orm.close(true)
  }
}

/** Fails unless the database answers and its schema is at the newest migration that this code knows. */
export async function checkMigrated(db: Database, migrations: NamedMigration[]): Promise<void> {
  const newest = migrations.at(-1)?.name
  const rows = await db.read(em => em.execute(`select 1 from ${db.schema}.${tableName} where name = ?`, [newest]))
  if (rows.length === 0)
    throw new Error(`The schema ${db.schema} is not at migration ${newest}: run the migrate command.`)
}
