import { randomBytes } from 'node:crypto'
import { type DatabaseUrls, dropDatabase, prepareDatabase, type Schema, withClient } from '@cobro/local-stack'
import { copyDatabase } from '@cobro/local-stack/database-template'
import { testSetting } from './test-settings.ts'

/** A database for one test file, with the same roles as in production. */
export interface TestDatabase extends DatabaseUrls {
  name: string
  /** Runs a query as the administrator, who can read every schema. */
  query: (sql: string, values?: unknown[]) => Promise<any[]>
  drop: () => Promise<void>
}

/** Creates an empty database with production's roles and privileges. `schemas` defaults to all. */
export async function testDatabase(options: { schemas?: readonly Schema[] } = {}): Promise<TestDatabase> {
  return prepared(newName(), options.schemas)
}

/** A schema, its migrations and the function that runs them. */
interface MigratedSchema<M> {
  schema: Schema
  migrations: M[]
  migrate: (options: { url: string; schema: string; migrations: M[] }) => Promise<unknown>
  /** Other schemas to create, which stay empty. */
  beside?: readonly Schema[]
}

/**
 * Creates a database with one schema at its newest migration. The migrations run once, and later
 * databases are copies. Tests of migrations themselves run them in a `testDatabase`.
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
  const urls = await prepareDatabase({ adminUrl, database: name, schemas })
  return {
    ...urls,
    name,
    query: (sql, values) => withClient(urls.adminUrl, async client => (await client.query(sql, values)).rows),
    drop: () => dropDatabase(adminUrl, name),
  }
}
