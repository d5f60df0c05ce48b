import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Client, escapeIdentifier } from 'pg'
import { schemas as allSchemas, type Schema } from '../layout/stack-layout.ts'
import { userError } from '../machine/user-error.ts'

/** A database's URLs: for each schema's service, the migrator, audit keeper and administrator. */
export interface DatabaseUrls {
  url: (schema: Schema) => string
  migratorUrl: string
  auditKeeperUrl: string
  adminUrl: string
}

/** A prepared database, and whether this call created it. */
export interface PreparedDatabase extends DatabaseUrls {
  created: boolean
}

/**
 * Creates a database if missing, with the roles, schemas and privileges of `deploy/postgres`.
 * Idempotent and safe to run concurrently. The role in `adminUrl` must be allowed to create roles and databases.
 */
export async function prepareDatabase(input: {
  adminUrl: string
  database: string
  schemas?: readonly Schema[]
}): Promise<PreparedDatabase> {
  const { adminUrl, database, schemas } = input
  await prepareRoles(adminUrl)
  const created = await withClient(adminUrl, client => createDatabase(client, database))
  return { ...(await prepareSchemas(adminUrl, database, schemas)), created }
}

/** Creates the roles of a cluster, and sets their passwords. Idempotent. */
export async function prepareRoles(adminUrl: string): Promise<void> {
  const passwords = Object.fromEntries(
    ['migrator', 'audit_keeper', ...allSchemas].map(name => [name, rolePassword(adminUrl, name)]),
  )
  await withClient(adminUrl, client => runScript(client, 'roles.sql', 'cobro.passwords', JSON.stringify(passwords)))
}

/** Creates the schemas of a database, and sets their privileges. Idempotent. The roles have to exist. */
export async function prepareSchemas(
  adminUrl: string,
  database: string,
  schemas: readonly Schema[] = allSchemas,
): Promise<DatabaseUrls> {
  const urls = databaseUrls(adminUrl, database)
  await withClient(urls.adminUrl, client => runScript(client, 'schemas.sql', 'cobro.schemas', schemas.join(',')))
  return urls
}

/** Drops a database, even if there are open connections to it. */
export async function dropDatabase(adminUrl: string, database: string): Promise<void> {
  await withClient(adminUrl, client =>
    client.query(`drop database if exists ${escapeIdentifier(database)} with (force)`),
  )
}

/** Returns the URLs that are valid after `prepareDatabase`. */
export function databaseUrls(adminUrl: string, database: string): DatabaseUrls {
  const urlWith = (change: (url: URL) => void) => {
    const url = new URL(adminUrl)
    url.pathname = `/${database}`
    change(url)
    return url.href
  }
  const loginAs = (name: string) =>
    urlWith(url => {
      url.username = `cobro_${name}`
      url.password = rolePassword(adminUrl, name)
    })
  return {
    url: loginAs,
    migratorUrl: loginAs('migrator'),
    auditKeeperUrl: loginAs('audit_keeper'),
    adminUrl: urlWith(() => {}),
  }
}

/**
 * Derives a role's password from the administrator's, the same for all databases of a cluster.
 * So several stacks and tests can share the cluster's roles without locking each other out.
 */
function rolePassword(adminUrl: string, name: string): string {
  const { password } = new URL(adminUrl)
  if (!password)
    throw userError(
      'The administrator’s PostgreSQL URL needs a password, because the passwords of the services are derived from it.',
    )
  return createHmac('sha256', password).update(`cobro role ${name}`).digest('base64url')
}

async function createDatabase(client: Client, database: string): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [database])
  if (rowCount) return false
  try {
    await client.query(`create database ${escapeIdentifier(database)} template template0 encoding 'UTF8'`)
    return true
  } catch (error) {
    // Another process has created it in the meantime: 42P04 duplicate_database, or 23505 on the catalog's unique index.
    if (['42P04', '23505'].includes((error as { code: string }).code)) return false
    throw error
  }
}

/** Runs a script of deploy/postgres. Its parameter is a setting, so that psql can run it too. */
async function runScript(client: Client, file: string, setting: string, value: string): Promise<void> {
  const text = await readFile(new URL(`../../../../deploy/postgres/${file}`, import.meta.url), 'utf8')
  await client.query('select set_config($1, $2, false)', [setting, value])
  await client.query(text)
}

/** Opens a connection, runs `work` with it, and closes it. */
export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
