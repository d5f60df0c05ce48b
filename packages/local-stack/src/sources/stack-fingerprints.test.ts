import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '../layout/stack-paths.ts'
import { databaseFingerprint, dataFingerprint } from './stack-fingerprints.ts'

const ofDatabases = [
  'packages/local-stack/src/database/prepare-database.ts',
  'deploy/postgres/roles.sql',
  'packages/database/src/migrate.ts',
]
const ofData = [
  ...ofDatabases,
  'packages/local-stack/src/services/demo-data.ts',
  'packages/local-stack/src/services/secrets.ts',
  'packages/messaging/src/declare-bus.ts',
  'services/gateway/migrations/all-gateway.ts',
]

test.each([
  ...ofDatabases.map(file => ({ what: 'a database', of: databaseFingerprint, file })),
  ...ofData.map(file => ({ what: 'the data of a stack', of: dataFingerprint, file })),
])('creates the template of $what again when $file changes', async ({ of, file }) => {
  expect(existsSync(join(repositoryRoot, file))).toBe(true)
  const folders = (await of(async sources => sources.join())).split(',')
  expect(folders.filter(folder => file.startsWith(`${folder}/`))).toHaveLength(1)
})
