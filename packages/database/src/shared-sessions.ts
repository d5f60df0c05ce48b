import type { PoolClient } from 'pg'
import type { Database } from './open-database.ts'

/** Other clients of a pooler may hide in one round that sessions are shared, but hardly in five. */
const rounds = 5

/**
 * Returns whether a pooler between this process and Postgres lets connections share sessions, as PgBouncer's
 * transaction pooling does. What belongs to a session would then be lost: the lock of the leading relay, prepared statements.
 */
export async function sharesSessions(db: Database): Promise<boolean> {
  const pool = await db.orm.em.getConnection().getNativeClient()
  const own = await pool.connect()
  try {
    const other = await pool.connect()
    try {
      for (let round = 0; round < rounds; round++) if (await shareSession(own, other)) return true
      return false
    } finally {
      other.release()
    }
  } finally {
    own.release()
  }
}

/** Returns whether two connections use the same session one after the other. */
async function shareSession(own: PoolClient, other: PoolClient): Promise<boolean> {
  const before = await sessionOf(own)
  await other.query('begin')
  try {
    return (await sessionOf(other)) === before || (await sessionOf(own)) !== before
  } finally {
    await other.query('rollback')
  }
}

/** Returns the process id of the Postgres session that answers. */
async function sessionOf(client: PoolClient): Promise<unknown> {
  const { rows } = await client.query('select pg_backend_pid() as id')
  return rows[0].id
}
