import { createHash } from 'node:crypto'
import { escapeIdentifier, escapeLiteral } from 'pg'
import { databaseFingerprint } from '../sources/stack-fingerprints.ts'
import { dropDatabase, withClient } from './prepare-database.ts'

/** A database that is made once and copied from then on. */
interface DatabaseTemplate<T> {
  kind: string
  /** Changes whenever `make` would make something else: as JSON. Of each kind the newest template alone is kept. */
  followsFrom: unknown
  /** Makes the database of this name, closes every connection to it, and gives what has to be known of it. */
  make: (database: string) => Promise<T>
}

/** Makes a database as a copy of its template, made now unless it is there, and gives what its maker gave. */
export async function copyDatabase<T>(
  adminUrl: string,
  database: string,
  { kind, followsFrom, make }: DatabaseTemplate<T>,
): Promise<T> {
  const prefix = `template-${kind}-`
  const template = prefix + (await hashOf(followsFrom))
  return withClient(adminUrl, async client => {
    // One at a time, so that no template is made twice, or taken away while it is copied.
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [prefix])
    const { rows } = await client.query<{ name: string; known: string | null }>(
      `select datname as name, shobj_description(oid, 'pg_database') as known from pg_database where starts_with(datname, $1)`,
      [prefix],
    )
    // What is known of a template is written last: without that, it was never finished.
    let known = rows.find(({ name }) => name === template)?.known
    if (!known) {
      for (const { name } of rows) await dropDatabase(adminUrl, name)
      known = JSON.stringify((await make(template)) ?? null)
      await client.query(`comment on database ${escapeIdentifier(template)} is ${escapeLiteral(known)}`)
    }
    await client.query(`create database ${escapeIdentifier(database)} template ${escapeIdentifier(template)}`)
    return JSON.parse(known)
  })
}

/** Everything follows from what makes databases too, and may from the day, as partitions of months do. */
async function hashOf(followsFrom: unknown): Promise<string> {
  const all = [followsFrom, await databaseFingerprint(), new Date().toDateString()]
  return createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 16)
}
