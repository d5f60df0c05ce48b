import { randomBytes } from 'node:crypto'
import { type Caller, newId } from '@cobro/contracts'
import { busNames } from '@cobro/contracts/broker'
import { migrate, openDatabase } from '@cobro/database'
import { testIdentity } from '@cobro/http/test-identity'
import { declareBus, openPublisher } from '@cobro/messaging'
import { createLogger, reveal, secret } from '@cobro/runtime'
import { migratedDatabase, tapEvents, testNamespace, waitFor } from '@cobro/testing'
import { migrations } from '../migrations/all-webhooks.ts'
import type { Config } from '../src/config.ts'
import { ignoreFailpoints, type ReachFailpoint } from '../src/delivery-queue/failpoints.ts'
import { entities, startWebhooksDispatcher } from '../src/start-webhooks-dispatcher.ts'

export type World = Awaited<ReturnType<typeof dispatcherWorld>>

const logger = createLogger('webhooks-dispatcher', process.env.LOG_LEVEL ?? 'silent')

/** Creates a database and a broker namespace for the service. Starts nothing. */
export async function dispatcherWorld(settings: Partial<Config> = {}) {
  const database = await migratedDatabase({ schema: 'webhooks', migrations, migrate })
  const { url: brokerUrl, namespace, login, readyMessageCount, cleanup } = testNamespace()
  await declareBus(await login('migrate'), namespace, ['webhooks-dispatcher.events'])
  const identity = await testIdentity('webhooks-dispatcher')
  const config: Config = {
    COBRO_ENV: 'sandbox',
    HOST: '127.0.0.1',
    PORT: 0,
    LOG_LEVEL: 'silent',
    DRAIN_MS: 0,
    DATABASE_URL: secret(database.url('webhooks')),
    AMQP_URL: secret(await login('webhooks-dispatcher')),
    AMQP_NAMESPACE: namespace,
    INTERNAL_JWKS: identity.jwks,
    ENCRYPTION_KEYS: [{ id: 'test', bytes: secret(randomBytes(32)) }],
    WEBHOOK_RETRY_DELAYS_MS: [50, 50, 50, 50],
    WEBHOOK_TIMEOUT_MS: 60_000,
    WEBHOOK_ENDPOINTS_PER_MERCHANT: 20,
    // No limit, so that tests of the queue see only its own.
    WEBHOOK_SENDS_PER_SECOND: 1_000_000,
    WEBHOOKS_ALLOW_PRIVATE: true,
    ...settings,
  }
  const db = openDatabase({ url: reveal(config.DATABASE_URL), schema: 'webhooks', entities, poolSize: 2 })
  const publisher = openPublisher({ url: brokerUrl, namespace, logger })
  const tap = await tapEvents({ url: brokerUrl, namespace })
  const outgoing = (message: { id: string }) => ({ id: message.id, body: Buffer.from(JSON.stringify(message)) })
  const othersWhere = async (condition: string) => {
    const others = 'select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
    return (await db.read(em => em.execute(`${others} and ${condition}`))).length
  }
  return {
    config,
    db,
    tap,
    headers: identity.headers,
    /** Runs SQL that the role of the service may not run. */
    asOwner: database.query,
    publish: (message: { id: string; name: string }) => publisher.publish('events', message.name, outgoing(message)),
    /** Publishes an event that no queue is bound for by the retry queue, and waits until it has left that. */
    publishUnbound: async (message: { id: string }) => {
      await publisher.retryLater('webhooks-dispatcher.events', outgoing(message))
      const retryQueue = busNames(namespace).retry('webhooks-dispatcher.events')
      await waitFor(async () => (await readyMessageCount(retryQueue)) === 0)
    },
    connected: publisher.connected,
    /** Ends the leases of all deliveries in flight, as if their time had passed. */
    endLeases: () => db.read(em => em.execute('update webhooks.jobs set due_at = now() where leased')),
    /** Waits until PostgreSQL has nothing left to do: a killed process's commit may come after its end. */
    settled: () => waitFor(async () => (await othersWhere(`state <> 'idle'`)) === 0),
    /** Returns how many transactions wait for a lock. */
    waiting: () => othersWhere(`wait_event_type = 'Lock'`),
    stop: async () => {
      await tap.close()
      await publisher.close()
      await db.close()
      await cleanup()
      await database.drop()
    },
  }
}

/** Starts a replica of the service in this process, and waits until it has reached its database. */
export async function startReplica(world: World, failpoint: ReachFailpoint = ignoreFailpoints) {
  const releases: (() => unknown)[] = []
  const port = await startWebhooksDispatcher(world.config, release => void releases.push(release), {
    logger,
    failpoint,
  })
  const url = `http://127.0.0.1:${port}`
  await waitFor(async () => (await fetch(`${url}/health/ready`)).ok)
  return {
    url,
    call: (caller: Caller, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      callService(url, { method, path, body, headers, identity: world.headers(caller) }),
    stop: async () => {
      for (const release of releases.toReversed()) await release()
    },
  }
}

interface ServiceCall {
  method: string
  path: string
  body: unknown
  headers: Record<string, string>
  identity: Promise<Record<string, string>>
}

/** Makes one call to a replica. Rejects while it is away. */
export async function callService(url: string, { method, path, body, headers, identity }: ServiceCall) {
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...json, ...headers, ...(await identity) },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const replayed = response.headers.get('idempotent-replayed') === 'true'
  return {
    status: response.status,
    allow: response.headers.get('allow'),
    replayed,
    body: (await response.json()) as any,
  }
}

/** Creates the message of an event in the webhook catalog. */
export function eventOf(merchant_id: string, name = 'payment.approved', data: Record<string, unknown> = {}) {
  return {
    id: newId('evt'),
    name,
    occurred_at: new Date().toISOString(),
    merchant_id,
    target_id: null,
    correlation_id: newId('corr'),
    request_id: null,
    actor: { type: 'system', id: null },
    data: { id: newId('txn'), merchant_id, amount_cents: 25_000, note: 'né', ...data },
  }
}
