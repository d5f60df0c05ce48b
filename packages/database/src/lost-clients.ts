import type { Pool, PoolClient } from 'pg'

/**
 * Releases clients whose connection ended, and closes connections on which a query timed out.
 * If a connection dies in a transaction, Kysely's rollback throws and never releases the client
 * (kysely-org/kysely#1990): after as many failures as the pool has places, no query could connect. The release can go once that is fixed.
 */
export function reclaimLostClients(pool: Pool): void {
  const lent = new WeakSet<PoolClient>()
  pool.on('acquire', client => lent.add(client))
  pool.on('release', (_error, client) => lent.delete(client as PoolClient))
  pool.on('connect', client => {
    closeAfterQueryTimeout(client)
    client.once('end', () => {
      if (!lent.has(client)) return
      client.release(true)
      // The borrower may still release the client, and pg throws on a second release.
      client.release = () => undefined
    })
  })
}

/**
 * Closes the connection after a query timeout, because pg's client then stays unusable:
 * it waits forever and queues later queries behind it in the pool. Can go once brianc/node-postgres#3399 is fixed.
 */
function closeAfterQueryTimeout(client: PoolClient): void {
  const query = client.query.bind(client) as (...input: unknown[]) => unknown
  client.query = ((...input: unknown[]) => {
    const result = query(...input)
    if (result instanceof Promise) result.catch(error => isQueryTimeout(error) && closeConnection(client))
    return result
  }) as typeof client.query
}

function isQueryTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

/** pg's types do not declare the `connection` of a client. */
function closeConnection(client: PoolClient & { connection?: { stream: { destroy(): void } } }): void {
  client.connection?.stream.destroy()
}
