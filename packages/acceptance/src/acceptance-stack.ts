import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  dropDatabase,
  hostedApiUrl,
  type RunningStack,
  type Stack,
  type StackOptions,
  startStack,
} from '@cobro/local-stack'
import { copyStackData } from '@cobro/local-stack/stack-template'
import { declareBus } from '@cobro/messaging'
import { testNamespace, testSetting, waitFor } from '@cobro/testing'
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
  /** Counts a service role's connections that wait for a lock to insert into its schema's table. */
  insertsWaiting: (schema: string, table: string) => Promise<number>
  /** Waits until pages are payable: checkout fails them while the acquirer's key takes over 3 s. */
  untilPayable: () => Promise<void>
}

interface StackVariant {
  /** Other addresses of the same servers, such as a gate that can be closed. */
  postgresUrl?: string
  amqpUrl?: string
  /**
   * Starts the services with the product's timeouts, without waiting until pages can be paid.
   * `postgresUrl` sets how long a call waits for a database connection: see `productionPostgresUrl`.
   */
  asInProduction?: boolean
}

/** Long timeouts for slow machines: a webhook or notification that times out is sent twice. */
const longTimeouts = {
  gateway: { UPSTREAM_TIMEOUT_MS: '120000' },
  'webhooks-dispatcher': { WEBHOOK_TIMEOUT_MS: '60000' },
  'acquirer-sandbox': { NOTIFICATION_TIMEOUT_MS: '60000' },
} as const

/** Returns the server's URL without the tests' `connect_timeout`, to wait as long as production. */
export const productionPostgresUrl = () => testSetting('TEST_POSTGRES_URL').replace(/\?.*/, '')

/** Starts a stack whose webhooks are retried after 200, 400, 800 and 1,600 ms. */
export async function acceptanceStack(
  env: NonNullable<StackOptions['env']> = {},
  { asInProduction = false, ...servers }: StackVariant = {},
): Promise<AcceptanceStack> {
  const dir = await mkdtemp(join(tmpdir(), 'cobro-acceptance-'))
  const database = `test_${randomBytes(8).toString('hex')}`
  const postgresUrl = testSetting('TEST_POSTGRES_URL')
  const { url, namespace, login, cleanup } = testNamespace()
  const rabbitmqApiUrl = testSetting('TEST_RABBITMQ_API_URL')
  await copyStackData({ dir, database, namespace, postgresUrl, amqpUrl: url, rabbitmqApiUrl })
  await declareBus(await login('migrate'), namespace)
  const running = await startStack({
    dir,
    database,
    namespace,
    prepared: true,
    postgresUrl: servers.postgresUrl ?? postgresUrl,
    amqpUrl: servers.amqpUrl ?? url,
    rabbitmqApiUrl,
    env: stackEnv(env, asInProduction),
  })
  const untilPayable = () => waitUntilPayable(running.stack)
  if (!asInProduction) {
    await untilPayable().catch(async error => {
      await running.stop()
      throw error
    })
  }
  const direct = new URL(running.stack.postgres_url)
  direct.host = new URL(postgresUrl).host
  const pool = new Pool({ connectionString: direct.href, max: 4 })
  const query: AcceptanceStack['query'] = async (sql, values = []) => (await pool.query(sql, values)).rows
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
    untilPayable,
    query,
    insertsWaiting: async (schema, table) => {
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and application_name = $1 and query ~* $2`
      return (await query(waiting, [`cobro-${schema}`, `insert into.*\\m${table}\\M`])).length
    },
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
      await cleanup()
      await dropDatabase(postgresUrl, database)
      await rm(dir, { recursive: true, force: true })
    },
  }
}

function stackEnv(env: NonNullable<StackOptions['env']>, asInProduction: boolean): NonNullable<StackOptions['env']> {
  const defaults: NonNullable<StackOptions['env']> = asInProduction ? {} : longTimeouts
  const names = ['gateway', 'webhooks-dispatcher', 'acquirer-sandbox'] as const
  const changed = Object.fromEntries(names.map(name => [name, { ...defaults[name], ...env[name] }]))
  const webhooks = {
    WEBHOOK_RETRY_DELAYS_MS: '200,400,800,1600',
    // The matrix of callers makes a new endpoint for each of its calls.
    WEBHOOK_ENDPOINTS_PER_MERCHANT: '1000',
    ...changed['webhooks-dispatcher'],
  }
  return { ...env, ...changed, 'webhooks-dispatcher': webhooks }
}

async function waitUntilPayable({ base_url, api_key }: Stack): Promise<void> {
  const headers = { authorization: `Token ${api_key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ amount_total: 100, return_url: 'https://shop.mx' })
  const id = await waitFor(async () => {
    const response = await fetch(`${base_url}/checkout/v1/sessions`, { method: 'POST', headers, body })
    return ((await response.json()) as { id?: string }).id
  })
  await waitFor(async () => (await fetch(hostedApiUrl(base_url, id))).ok, { intervalMs: 250 })
}
