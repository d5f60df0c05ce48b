import type { Pool, PoolClient } from 'pg'

/**
 * Gives clients whose connection ended back to their pool. One that dies inside a transaction is not given back by Kysely,
 * whose rollback fails on it as well: after as many such deaths as the pool has places, nothing would ever connect again.
 */
export function reclaimLostClients(pool: Pool): void {
  const lent = new WeakSet<PoolClient>()
  pool.on('acquire', client => lent.add(client))
  pool.on('release', (_error, client) => lent.delete(client as PoolClient))
  pool.on('connect', client => {
    client.once('end', () => {
      if (!lent.has(client)) return
      client.release(true)
      // Its borrower may not have heard yet, and a second release is an error.
      client.release = () => undefined
    })
  })
}
