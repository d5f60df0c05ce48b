import { fingerprint } from './fingerprint.ts'

/** The sources that create the roles, privileges and schemas of any database. */
const databaseSources = ['packages/local-stack', 'deploy/postgres', 'packages/database']
const dataSources = [...databaseSources, 'packages/contracts', 'packages/messaging', 'packages/service', 'services']

/** Changes whenever new databases may differ before any migration runs. */
export const databaseFingerprint = (of = fingerprint) => of(databaseSources)

/** Changes whenever the migrations, the broker topology or the demo data may have changed. */
export const dataFingerprint = (of = fingerprint) => of(dataSources)
