import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Caller, httpRequests, type Message, newId, webhookAttempts } from '@cobro/contracts'
import { busNames, type QueueName } from '@cobro/contracts/broker'
import { migrate, openDatabase } from '@cobro/database'
import { testIdentity } from '@cobro/http/test-identity'
import { browseDeadLetters, type DeadLetter, declareBus, openPublisher } from '@cobro/messaging'
import { createLogger, type Logger, type Secret, secret } from '@cobro/runtime'
import { migratedDatabase, testNamespace, waitFor } from '@cobro/testing'
import { migrations } from '../migrations/all-audit-log.ts'
import { startAuditLog } from '../src/start-audit-log.ts'
import { signingKey } from '../src/tree/checkpoint-keys.ts'

/** Generates a signing key for checkpoints. */
export const newSigningKey = () => signingKey(generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }))

const silent: Logger = createLogger('audit-log', 'silent')

/** `data` is an object or a list, depending on the path. */
type ResponseBody = { data: any; count: number; error?: string }
type QueueKind = 'queue' | 'deadLetter' | 'retry'
type Settings = Partial<{ DATABASE_URL: Secret; AUDIT_CHECKPOINT_FILE: string }>
export type World = Awaited<ReturnType<typeof auditWorld>>

/** Creates a migrated database, a broker namespace and a service identity. Starts nothing. */
export async function auditWorld() {
  const database = await migratedDatabase({ schema: 'audit', migrations, migrate, beside: ['checkout'] })
  const { url: brokerUrl, namespace, login, readyMessageCount, deleteQueue, cleanup } = testNamespace()
  await declareBus(await login('migrate'), namespace, [
    'audit-log.events',
    'audit-log.calls',
    'audit-log.webhook-attempts',
  ])
  const identity = await testIdentity('audit-log')
  const key = newSigningKey()
  const folder = await mkdtemp(join(tmpdir(), 'audit-log-'))
  const admin = openDatabase({ url: database.adminUrl, schema: 'audit', entities: [] })
  const publisher = openPublisher({ url: brokerUrl, namespace, logger: silent })
  const releases: (() => Promise<unknown> | unknown)[] = []
  const queueName = (kind: QueueKind, queue: QueueName = 'audit-log.events') => busNames(namespace)[kind](queue)

  const publishMany = async (
    exchange: 'calls' | 'webhook-attempts',
    { name, events, more }: { name: string; events: Message[]; more: object },
  ) => {
    const message = eventMessage({
      name,
      data: { events: events.map(event => ({ event, traceparent: null, ...more })) },
    })
    await publisher.publish(exchange, name, { id: message.id, body: Buffer.from(JSON.stringify(message)) })
    return message.id
  }

  const start = async (settings: Settings = {}) => {
    const own: (() => Promise<unknown> | unknown)[] = []
    const config = {
      COBRO_ENV: 'sandbox' as const,
      HOST: '127.0.0.1',
      PORT: 0,
      LOG_LEVEL: 'silent' as const,
      DRAIN_MS: 0,
      DATABASE_URL: secret(database.url('audit')),
      AMQP_URL: secret(await login('audit-log')),
      AMQP_NAMESPACE: namespace,
      INTERNAL_JWKS: identity.jwks,
      AUDIT_SIGNING_KEY: key,
      AUDIT_PUBLIC_KEYS: [],
      AUDIT_SIZE_BUDGET_GB: 100,
      ...settings,
    }
    const port = await startAuditLog(config, release => own.push(release), silent)
    const stop = async () => {
      for (const release of own.splice(0).reverse()) await release()
    }
    releases.push(stop)
    const ask = async (caller: Caller, path: string, method = 'GET') =>
      fetch(`http://127.0.0.1:${port}${path}`, { method, headers: await identity.headers(caller) })
    const call = async (caller: Caller, path: string, method = 'GET') => {
      const response = await ask(caller, path, method)
      const body = (await response.json()) as ResponseBody
      return { status: response.status, allow: response.headers.get('allow'), body }
    }
    return { port, stop, call, fetch: ask }
  }
  return {
    database,
    key,
    checkpointFile: join(folder, 'checkpoints.ndjson'),
    start,
    /** Runs SQL as the superuser. */
    sql: <T extends object>(text: string) => admin.read(em => em.execute<T[]>(text)),
    publish: (message: Message) =>
      publisher.publish('events', message.name, { id: message.id, body: Buffer.from(JSON.stringify(message)) }),
    /** Publishes the events of calls as the gateway does. Returns the id of their message. */
    publishCalls: (events: Message[], more: object = {}) =>
      publishMany('calls', { name: httpRequests.name, events, more }),
    /** Publishes events of webhook attempts as webhooks-dispatcher does. Returns the id of their message. */
    publishWebhookAttempts: (events: Message[], more: object = {}) =>
      publishMany('webhook-attempts', { name: webhookAttempts.name, events, more }),
    /** Returns the recorded events of a lifecycle, by id. */
    recorded: (correlationId: string) =>
      admin.read(em =>
        em.execute<{ id: string; action: string }[]>(
          'select id, action from audit.events where correlation_id = ? order by id',
          [correlationId],
        ),
      ),
    /** Returns the dead letter with this id, if there is one. */
    deadLetter: async (queue: QueueName, id: string) => {
      const found: DeadLetter[] = []
      await browseDeadLetters({ url: brokerUrl, namespace }, queue, letter => {
        found.push(letter)
        return 'keep'
      })
      return found.find(letter => letter.id === id)
    },
    publishBytes: (body: Buffer) => publisher.publish('events', 'unreadable', { id: newId('evt'), body }),
    connected: publisher.connected,
    readyMessageCount: (kind: QueueKind, queue?: QueueName) => readyMessageCount(queueName(kind, queue)),
    /** Runs `work` without a retry queue. Messages that the service retries stay unacknowledged. */
    withoutRetryQueue: async (work: () => Promise<void>) => {
      await deleteQueue(queueName('retry'))
      try {
        await work()
      } finally {
        await declareBus(await login('migrate'), namespace)
      }
    },
    close: async () => {
      for (const release of releases.reverse()) await release()
      await publisher.close()
      await admin.close()
      await cleanup()
      await database.drop()
      await rm(folder, { recursive: true })
    },
  }
}

/** Creates a world with one running service, and waits until events can be published. */
export async function startedWorld() {
  const world = await auditWorld()
  const service = await world.start()
  await waitFor(world.connected)
  return { world, service }
}

/** Creates the message of an event. */
export function eventMessage(fields: Partial<Message> = {}): Message {
  return {
    id: newId('evt'),
    name: 'payment.approved',
    occurred_at: new Date().toISOString(),
    merchant_id: null,
    target_id: null,
    correlation_id: null,
    request_id: null,
    actor: { type: 'system', id: null },
    data: { amount_cents: 25_000, currency: 'MXN', card: { brand: 'visa', last4: '4242' } },
    ...fields,
  }
}

/** Creates the message of an `http.request` event. */
export function callMessage(path: string, status_code: number, fields: Partial<Message> = {}): Message {
  const data = {
    method: 'GET',
    path,
    status_code,
    ip: null,
    user_agent: null,
    duration_ms: 3,
    trace_id: null,
    metadata: null,
  }
  return eventMessage({ name: 'http.request', data, ...fields })
}
