import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dropDatabase, type RunningStack, type StackOptions, startStack } from '@cobro/local-stack'
import { copyStackData } from '@cobro/local-stack/stack-template'
import { declareBus, topologyNames } from '@cobro/messaging'
import { testNamespace, testSetting } from '@cobro/testing'
import { escapeIdentifier, Pool, type PoolClient } from 'pg'

/** A complete running system of real processes, with its own database and broker namespace. */
export interface AcceptanceStack extends RunningStack {
  dir: string
  /** The broker's address and the stack's namespace there. */
  bus: { url: string; namespace: string }
  query: (sql: string, values?: unknown[]) => Promise<any[]>
  /** Runs queries with the privileges of a role. */
  queryAs: (role: string, sql: string) => Promise<any[]>
  /** Runs `work` while a separate transaction holds its locks. */
  whileLocked: <T>(lock: { sql: string; values: unknown[] }, work: () => Promise<T>) => Promise<T>
}

/** Returns the server's URL without the `connect_timeout` of the tests, for stacks whose services wait as long as in production. */
export const productionPostgresUrl = () => testSetting('TEST_POSTGRES_URL').replace(/\?.*/, '')

/**
 * Starts a stack whose webhooks are retried after 200, 400, 800 and 1,600 ms. `servers` may name other addresses of the same
 * servers, such as a gate that can be closed.
 */
export async function acceptanceStack(
  env: StackOptions['env'] = {},
  servers: { postgresUrl?: string; amqpUrl?: string } = {},
): Promise<AcceptanceStack> {
  const dir = await mkdtemp(join(tmpdir(), 'cobro-acceptance-'))
  const database = `test_${randomBytes(8).toString('hex')}`
  const postgresUrl = testSetting('TEST_POSTGRES_URL')
  const { url, namespace, cleanup } = testNamespace()
  await copyStackData({ dir, database, namespace, postgresUrl, amqpUrl: url })
  await declareBus(url, namespace)
  const running = await startStack({
    dir,
    database,
    namespace,
    prepared: true,
    postgresUrl: servers.postgresUrl ?? postgresUrl,
    amqpUrl: servers.amqpUrl ?? url,
    env: {
      ...env,
      'webhooks-dispatcher': { WEBHOOK_RETRY_DELAYS_MS: '200,400,800,1600', ...env['webhooks-dispatcher'] },
    },
  })
  const direct = new URL(running.stack.postgres_url)
  direct.host = new URL(postgresUrl).host
  const pool = new Pool({ connectionString: direct.href, max: 4 })
  /** Rolls back and resets everything, so that the connection is as before. */
  const undone = async <T>(work: (client: PoolClient) => Promise<T>) => {
    const client = await pool.connect()
    try {
      await client.query('begin')
      return await work(client)
    } finally {
      await client.query('rollback')
      client.release()
    }
  }
  return {
    ...running,
    dir,
    bus: { url, namespace },
    query: async (sql, values = []) => (await pool.query(sql, values)).rows,
    queryAs: (role, sql) =>
      undone(async client => {
        await client.query(`set local role ${escapeIdentifier(role)}`)
        return (await client.query(sql)).rows
      }),
    whileLocked: (lock, work) =>
      undone(async client => {
        await client.query(lock.sql, lock.values)
        return work()
      }),
    stop: async () => {
      await pool.end()
      await running.stop()
      await cleanup(topologyNames(namespace))
      await dropDatabase(postgresUrl, database)
      await rm(dir, { recursive: true, force: true })
    },
  }
}
