import { createHash } from 'node:crypto'
import { escapeIdentifier, escapeLiteral } from 'pg'
import { databaseFingerprint } from '../sources/stack-fingerprints.ts'
import { dropDatabase, withClient } from './prepare-database.ts'

/** A database that is created once and then copied. */
interface DatabaseTemplate<T> {
  kind: string
  /** A JSON value that changes with `create`'s result. Each kind keeps only its newest template. */
  version: unknown
  /** Creates the database, closes connections to it, and returns metadata for users of copies. */
  create: (database: string) => Promise<T>
}

/** Copies a database from its template, created first if needed, and returns its metadata. */
export async function copyDatabase<T>(
  adminUrl: string,
  database: string,
  { kind, version, create }: DatabaseTemplate<T>,
): Promise<T> {
  const prefix = `template-${kind}-`
  const template = prefix + (await hashOf(version))
  return withClient(adminUrl, async client => {
    // Serialized, so that no template is created twice, or dropped while it is being copied.
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [prefix])
    const { rows } = await client.query<{ name: string; metadata: string | null }>(
      `select datname as name, shobj_description(oid, 'pg_database') as metadata from pg_database where starts_with(datname, $1)`,
      [prefix],
    )
    // The metadata is written last: a template without it is incomplete.
    let metadata = rows.find(({ name }) => name === template)?.metadata
    if (!metadata) {
      for (const { name } of rows) await dropDatabase(adminUrl, name)
      metadata = JSON.stringify((await create(template)) ?? null)
      await client.query(`comment on database ${escapeIdentifier(template)} is ${escapeLiteral(metadata)}`)
    }
    await client.query(`create database ${escapeIdentifier(database)} template ${escapeIdentifier(template)}`)
    return JSON.parse(metadata)
  })
}

/** Hashed once: sources that change while tests run are not noticed. */
let sources: Promise<string> | undefined

/** Includes the sources that create databases, and the date, which monthly partitions depend on. */
async function hashOf(version: unknown): Promise<string> {
  sources ??= databaseFingerprint().catch(error => {
    sources = undefined
    throw error
  })
  const all = [version, await sources, new Date().toDateString()]
  return createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 16)
}
