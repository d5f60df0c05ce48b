import { randomBytes } from 'node:crypto'
import { type DatabaseAddresses, dropDatabase, prepareDatabase, type Schema } from '@cobro/local'
import { Client } from 'pg'
import { testSetting } from './test-settings.ts'

/** A database of one test file, reached like a real one: each schema by its service's role. */
export interface TestDatabase extends DatabaseAddresses {
  name: string
  /** Asks as the administrator, who may look into every schema. */
  query: (sql: string, values?: unknown[]) => Promise<any[]>
  drop: () => Promise<void>
}

/** Makes an empty database with the roles and rights of a deployment. `schemas` defaults to all of them. */
export async function testDatabase(options: { schemas?: readonly Schema[] } = {}): Promise<TestDatabase> {
  const adminUrl = testSetting('TEST_POSTGRES_URL')
  const name = `test_${randomBytes(8).toString('hex')}`
  const addresses = await prepareDatabase({ adminUrl, database: name, schemas: options.schemas })
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
