import { randomBytes } from 'node:crypto'
import {
  type DatabaseUrls,
  dropDatabase,
  prepareDatabase,
  prepareRoles,
  prepareSchemas,
  type Schema,
} from '@cobro/local-stack'
import { copyDatabase } from '@cobro/local-stack/database-template'
import { Pool } from 'pg'
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
  const name = newName()
  return opened(name, await prepareDatabase({ adminUrl: testSetting('TEST_POSTGRES_URL'), database: name, ...options }))
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
  const adminUrl = testSetting('TEST_POSTGRES_URL')
  await haveRoles(adminUrl)
  await copyDatabase(adminUrl, name, {
    kind: schemas.join('_'),
    version: migrations.map(step => [step.name, step.statements]),
    create: async template => {
      const { migratorUrl: url } = await prepareDatabase({ adminUrl, database: template, schemas })
      await migrate({ url, schema, migrations })
    },
  })
  // Privileges of a database itself are not copied.
  return opened(name, await prepareSchemas(adminUrl, name, schemas))
}

let roles: Promise<void> | undefined

/** Prepares the roles of the server, which all of its databases share, unless this process has done so. */
function haveRoles(adminUrl: string): Promise<void> {
  roles ??= prepareRoles(adminUrl).catch(error => {
    roles = undefined
    throw error
  })
  return roles
}

const newName = () => `test_${randomBytes(8).toString('hex')}`

function opened(name: string, urls: DatabaseUrls): TestDatabase {
  const options = { connectionTimeoutMillis: 10_000, idleTimeoutMillis: 0, allowExitOnIdle: true }
  const pool = new Pool({ connectionString: urls.adminUrl, ...options })
  // The drop ends its connections, and so do some tests.
  pool.on('error', () => undefined)
  return {
    ...urls,
    name,
    query: async (sql, values) => (await pool.query(sql, values)).rows,
    drop: async () => {
      await dropDatabase(testSetting('TEST_POSTGRES_URL'), name)
      await pool.end()
    },
  }
}
