import { randomBytes } from 'node:crypto'
import { type DatabaseAddresses, dropDatabase, prepareDatabase, type Schema } from '@cobro/local'
import { testSetting } from './test-settings.ts'

/** A database of one test file, reached like a real one: each schema by its service's role. */
export interface TestDatabase extends DatabaseAddresses {
  name: string
  drop: () => Promise<void>
}

/** Makes an empty database with the roles and rights of a deployment. `schemas` defaults to all of them. */
export async function testDatabase(options: { schemas?: readonly Schema[] } = {}): Promise<TestDatabase> {
  const adminUrl = testSetting('TEST_POSTGRES_URL')
  const name = `test_${randomBytes(8).toString('hex')}`
  const addresses = await prepareDatabase({ adminUrl, database: name, schemas: options.schemas })
  return { ...addresses, name, drop: () => dropDatabase(adminUrl, name) }
}
