import { type Measurement, observeGauge } from '@cobro/runtime'
import type { Pool } from 'pg'

/** The pools of this process, perhaps with some that were closed since the last reading. */
const pools = new Set<Pool>()

const count = { description: 'The connections of the pools, by state', unit: '{connection}' }
const pending = { description: 'The calls that wait for a connection', unit: '{request}' }
const max = { description: 'The connections that the pools may open', unit: '{connection}' }

/** Includes a pool in the metrics until it is closed. They are read at scrapes, so that a call costs nothing. */
export function observePool(pool: Pool): void {
  openPools()
  pools.add(pool)
}

observeGauge('db_client_connection_count', count, () => [
  ...sumByName(pool => pool.totalCount - pool.idleCount, { db_client_connection_state: 'used' }),
  ...sumByName(pool => pool.idleCount, { db_client_connection_state: 'idle' }),
])
observeGauge('db_client_connection_pending_requests', pending, () => sumByName(pool => pool.waitingCount))
observeGauge('db_client_connection_max', max, () => sumByName(pool => pool.options.max))

/** Pools of one database have one name, as with OpenTelemetry's instrumentation. */
function sumByName(read: (pool: Pool) => number, attributes = {}): Measurement[] {
  const sums = new Map<string, number>()
  for (const pool of openPools()) {
    const { host, port, database } = pool.options
    const name = `${host}:${port}/${database}`
    sums.set(name, (sums.get(name) ?? 0) + read(pool))
  }
  return Array.from(sums, ([name, value]) => ({
    value,
    attributes: { ...attributes, db_client_connection_pool_name: name },
  }))
}

function openPools(): Set<Pool> {
  for (const pool of pools) if (pool.ending) pools.delete(pool)
  return pools
}
