import { fingerprint } from './fingerprint.ts'

/** What makes the roles, rights and schemas of any database. */
const databaseSources = ['packages/local-stack', 'deploy/postgres', 'packages/database']
const dataSources = [...databaseSources, 'packages/contracts', 'packages/messaging', 'services']

/** Changes whenever a database may be made in another way, whatever its migrations are. */
export const fingerprintOfDatabases = (of = fingerprint) => of(databaseSources)

/** Changes whenever a schema's history, the broker's topology or the demonstration's data may have changed. */
export const fingerprintOfData = (of = fingerprint) => of(dataSources)
