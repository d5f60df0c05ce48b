import { fingerprint } from './fingerprint.ts'

/** What makes the roles, rights and schemas of any database. */
const databaseSources = ['packages/local-stack', 'deploy/postgres', 'packages/database']
const dataSources = [...databaseSources, 'packages/contracts', 'packages/messaging', 'services']

/** Changes whenever a database may be made in another way, whatever its migrations are. */
export const databaseFingerprint = (of = fingerprint) => of(databaseSources)

/** Changes whenever a schema's history, the broker's topology or the demo data may have changed. */
export const dataFingerprint = (of = fingerprint) => of(dataSources)
