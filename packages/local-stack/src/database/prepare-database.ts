import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Client, escapeIdentifier } from 'pg'
import { schemas as allSchemas, type Schema } from '../layout/stack-layout.ts'
import { userError } from '../machine/user-error.ts'

/** How to reach one database of the system: as each schema's service, as the migrator, the log's keeper, the administrator. */
export interface DatabaseUrls {
  url: (schema: Schema) => string
  migratorUrl: string
  auditKeeperUrl: string
  adminUrl: string
}

/** A database that can be used, and whether it was made just now. */
export interface PreparedDatabase extends DatabaseUrls {
  created: boolean
}

/**
 * Makes a database where it is missing, and the roles, schemas and rights of `deploy/postgres` in it. May be repeated, and
 * run by several processes at once. `adminUrl` is the address of a role that may make roles and databases.
 */
export async function prepareDatabase(input: {
  adminUrl: string
  database: string
  schemas?: readonly Schema[]
}): Promise<PreparedDatabase> {
  const { adminUrl, database, schemas = allSchemas } = input
  const addresses = databaseUrls(adminUrl, database)
  const passwords = Object.fromEntries(
    ['migrator', 'audit_keeper', ...allSchemas].map(name => [name, rolePassword(adminUrl, name)]),
  )
  const created = await withClient(adminUrl, async client => {
    await runScript(client, 'roles.sql', 'cobro.passwords', JSON.stringify(passwords))
    return createDatabase(client, database)
  })
  await withClient(addresses.adminUrl, client => runScript(client, 'schemas.sql', 'cobro.schemas', schemas.join(',')))
  return { ...addresses, created }
}

/** Removes a database with all that is in it, also while somebody is connected to it. */
export async function dropDatabase(adminUrl: string, database: string): Promise<void> {
  await withClient(adminUrl, client =>
    client.query(`drop database if exists ${escapeIdentifier(database)} with (force)`),
  )
}

/** The addresses that `prepareDatabase` makes valid. */
export function databaseUrls(adminUrl: string, database: string): DatabaseUrls {
  const address = (change: (url: URL) => void) => {
    const url = new URL(adminUrl)
    url.pathname = `/${database}`
    change(url)
    return url.href
  }
  const loginAs = (name: string) =>
    address(url => {
      url.username = `cobro_${name}`
      url.password = rolePassword(adminUrl, name)
    })
  return {
    url: loginAs,
    migratorUrl: loginAs('migrator'),
    auditKeeperUrl: loginAs('audit_keeper'),
    adminUrl: address(() => {}),
  }
}

/**
 * A role's password follows from the administrator's: whoever prepares another database in the same cluster sets the same
 * password again, so that several stacks and tests share a cluster's roles without locking each other out.
 */
function rolePassword(adminUrl: string, name: string): string {
  const { password } = new URL(adminUrl)
  if (!password)
    throw userError(
      'The PostgreSQL administrator’s address needs a password in it, because the services’ own follow from that.',
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
    // Another process may have made it since: it exists already, or its name has just been taken in the catalog.
    if (['42P04', '23505'].includes((error as { code: string }).code)) return false
    throw error
  }
}

/** Scripts take their one parameter as a setting, so that psql can run them too. */
async function runScript(client: Client, file: string, setting: string, value: string): Promise<void> {
  const text = await readFile(new URL(`../../../../deploy/postgres/${file}`, import.meta.url), 'utf8')
  await client.query('select set_config($1, $2, false)', [setting, value])
  await client.query(text)
}

/** Does something with a connection of its own. */
export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
