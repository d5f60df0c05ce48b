import { randomBytes } from 'node:crypto'
import { type DatabaseUrls, dropDatabase, prepareDatabase, type Schema } from '@cobro/local-stack'
import { copyDatabase } from '@cobro/local-stack/database-template'
import { Client } from 'pg'
import { testSetting } from './test-settings.ts'

/** A database of one test file, reached like a real one: each schema by its service's role. */
export interface TestDatabase extends DatabaseUrls {
  name: string
  /** Asks as the administrator, who may look into every schema. */
  query: (sql: string, values?: unknown[]) => Promise<any[]>
  drop: () => Promise<void>
}

/** Makes an empty database with the roles and rights of a deployment. `schemas` defaults to all of them. */
export async function testDatabase(options: { schemas?: readonly Schema[] } = {}): Promise<TestDatabase> {
  return prepared(newName(), options.schemas)
}

/** The steps of a schema's history, and what carries them out. */
interface MigratedSchema<M> {
  schema: Schema
  migrations: M[]
  migrate: (options: { url: string; schema: string; migrations: M[] }) => Promise<unknown>
  /** Schemas that are there beside it, empty. */
  beside?: readonly Schema[]
}

/**
 * Makes a database with one schema at the newest of its migrations. They are carried out once: the next database is a copy. Who
 * tests migrations themselves carries them out in a `testDatabase`.
 */
export async function migratedDatabase<M extends { name: string; statements: readonly string[] }>(
  input: MigratedSchema<M>,
): Promise<TestDatabase> {
  const { schema, migrations, migrate, beside = [] } = input
  const schemas = [schema, ...beside]
  const name = newName()
  await copyDatabase(testSetting('TEST_POSTGRES_URL'), name, {
    kind: schemas.join('_'),
    version: migrations.map(step => [step.name, step.statements]),
    create: async template => {
      const { migratorUrl: url } = await prepared(template, schemas)
      await migrate({ url, schema, migrations })
    },
  })
  return prepared(name, schemas)
}

const newName = () => `test_${randomBytes(8).toString('hex')}`

async function prepared(name: string, schemas: readonly Schema[] | undefined): Promise<TestDatabase> {
  const adminUrl = testSetting('TEST_POSTGRES_URL')
  const addresses = await prepareDatabase({ adminUrl, database: name, schemas })
  return {
    ...addresses,
    name,
    query: (sql, values) => query(addresses.adminUrl, sql, values),
    drop: () => dropDatabase(adminUrl, name),
  }
}

async function query(connectionString: string, sql: string, values: unknown[] = []): Promise<unknown[]> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return (await client.query(sql, values)).rows
  } finally {
    await client.end()
  }
}
