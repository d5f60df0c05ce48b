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
    dropWhenSilent(client)
    client.once('end', () => {
      if (!lent.has(client)) return
      client.release(true)
      // Its borrower may not have heard yet, and a second release is an error.
      client.release = () => undefined
    })
  })
}

/**
 * Cuts a connection on which an answer did not come in time. The client itself would wait for it for ever and be lent again,
 * with every later query queued behind the lost one.
 */
function dropWhenSilent(client: PoolClient): void {
  const query = client.query.bind(client) as (...input: unknown[]) => unknown
  client.query = ((...input: unknown[]) => {
    const result = query(...input)
    if (result instanceof Promise) result.catch(error => isReadTimeout(error) && closeConnection(client))
    return result
  }) as typeof client.query
}

function isReadTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

/** pg's types leave the connection out. */
function closeConnection(client: PoolClient & { connection?: { stream: { destroy(): void } } }): void {
  client.connection?.stream.destroy()
}
