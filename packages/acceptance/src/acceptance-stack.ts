import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dropDatabase, type RunningStack, type StackOptions, startStack } from '@cobro/local'
import { topologyNames } from '@cobro/messaging'
import { testNamespace, testSetting } from '@cobro/testing'
import { Client } from 'pg'

/** A whole running system of real processes, on a database and a corner of the broker of its own. */
export interface AcceptanceStack extends RunningStack {
  dir: string
  /** The broker's address and the prefix of what the stack declared there. */
  bus: { url: string; namespace: string }
  query: (sql: string, values?: unknown[]) => Promise<any[]>
}

/**
 * Starts a stack whose webhooks are retried after 200, 400, 800 and 1,600 ms. `servers` may give other ways to the same
 * servers, such as through a gate that can be shut.
 */
export async function acceptanceStack(
  env: StackOptions['env'] = {},
  servers: { postgresUrl?: string; amqpUrl?: string } = {},
): Promise<AcceptanceStack> {
  const dir = await mkdtemp(join(tmpdir(), 'cobro-acceptance-'))
  const database = `test_${randomBytes(8).toString('hex')}`
  const postgresUrl = testSetting('TEST_POSTGRES_URL')
  const { url, namespace, cleanup } = testNamespace()
  const running = await startStack({
    dir,
    database,
    namespace,
    postgresUrl: servers.postgresUrl ?? postgresUrl,
    amqpUrl: servers.amqpUrl ?? url,
    env: { ...env, 'webhooks-dispatcher': { WEBHOOK_WAITS_MS: '200,400,800,1600', ...env['webhooks-dispatcher'] } },
  })
  const direct = new URL(running.stack.postgres_url)
  direct.host = new URL(postgresUrl).host
  const client = new Client({ connectionString: direct.href })
  await client.connect()
  return {
    ...running,
    dir,
    bus: { url, namespace },
    query: async (sql, values = []) => (await client.query(sql, values)).rows,
    stop: async () => {
      await client.end()
      await running.stop()
      await cleanup(topologyNames(namespace))
      await dropDatabase(postgresUrl, database)
      await rm(dir, { recursive: true, force: true })
    },
  }
}
