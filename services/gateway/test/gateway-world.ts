import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '@cobro/contracts'
import { migrate, openDatabase } from '@cobro/database'
import { verifyIdentity } from '@cobro/http'
import { declareBus } from '@cobro/messaging'
import { createLogger, reveal, secret } from '@cobro/runtime'
import { migratedDatabase, tapEvents, testNamespace, waitFor } from '@cobro/testing'
import { exportJWK, generateKeyPair } from 'jose'
import { migrations } from '../migrations/all-gateway.ts'
import type { Config } from '../src/config.ts'
import { entities, schema } from '../src/gateway-schema.ts'
import type { ConnectionLimits } from '../src/network/connection-limits.ts'
import { seedData } from '../src/seed/seed-data.ts'
import { startGateway } from '../src/start-gateway.ts'
import { type Received, upstreamStub } from './upstream-stub.ts'

export const operator = { email: 'operator@cobro.test', password: 'correct horse battery' }
export const clients = [
  { email: 'azul@cobro.test', password: 'the blue coffee cup' },
  { email: 'rojo@cobro.test', password: 'the red coffee cup' },
] as const

const unlimited = { calls: 1_000_000, seconds: 1 }

/** For a gateway server without the rest of the gateway. */
export const noConnectionLimits: ConnectionLimits = {
  guard: () => undefined,
  countRejected: async () => false,
  countHealthCheck: async () => false,
}

/** Every line that the gateways of a test file have logged. */
const lines: Record<string, unknown>[] = []
const logger = createLogger('gateway', process.env.LOG_LEVEL ?? 'info', {
  write: line => {
    lines.push(JSON.parse(line))
    if (process.env.LOG_LEVEL) process.stdout.write(line)
  },
})

/** Starts a gateway with its own database and namespace, a stub, an operator and two merchants. */
export async function gatewayUnderTest(change: (config: Config) => Config | Promise<Config> = config => config) {
  const database = await migratedDatabase({ schema, migrations, migrate })
  const { url: brokerUrl, namespace, login: brokerLogin, readyMessageCount, cleanup } = testNamespace()
  await declareBus(await brokerLogin('migrate'), namespace, ['gateway.events'])
  const tap = await tapEvents({ url: brokerUrl, namespace })
  const upstream = await upstreamStub()
  const internal = await internalKeys()
  const spoolDir = mkdtempSync(join(tmpdir(), 'cobro-gateway-'))
  const config = await change({
    COBRO_ENV: 'sandbox',
    HOST: '127.0.0.1',
    PORT: 0,
    LOG_LEVEL: 'silent',
    DRAIN_MS: 0,
    DATABASE_URL: secret(database.url(schema)),
    AMQP_URL: secret(await brokerLogin('gateway')),
    AMQP_NAMESPACE: namespace,
    PUBLIC_URL: 'https://api.cobro.test',
    INTERNAL_SIGNING_KEY: secret(internal.privateJwk),
    API_KEY_PEPPERS: [{ id: 'p1', bytes: secret(randomBytes(32)) }],
    ENCRYPTION_KEYS: [{ id: 'e1', bytes: secret(randomBytes(32)) }],
    CHECKOUT_URL: upstream.url,
    TRANSACTIONS_URL: upstream.url,
    WEBHOOKS_URL: upstream.url,
    AUDIT_URL: upstream.url,
    UPSTREAM_TIMEOUT_MS: 60_000,
    CURRENCIES: ['MXN', 'USD'],
    DASHBOARD_IDLE_MINUTES: 30,
    DASHBOARD_MAX_HOURS: 12,
    MAIL_LANGUAGE: 'es',
    SPOOL_DIR: spoolDir,
    TRUSTED_PROXIES: [],
    CORS_ORIGINS: [],
    RATE_LIMIT_KEY: unlimited,
    RATE_LIMIT_USER: unlimited,
    RATE_LIMIT_ADDRESS: unlimited,
    RATE_LIMIT_GUESS: unlimited,
    RATE_LIMIT_LOGIN: unlimited,
    RATE_LIMIT_REJECTED: unlimited,
    CONNECTIONS_PER_ADDRESS: 10_000,
  })
  const seeded = await seedAll(config)
  const started = await start(config)
  // A slow machine takes longer for the first database connection than the timeout after which a call is a 503.
  await waitFor(async () => (await fetch(`${started.url}/health/ready`)).ok)
  return {
    ...started,
    ...seeded,
    config,
    database,
    namespace,
    brokerLogin,
    tap,
    lines,
    upstream,
    /** Returns how many events the gateway has not taken yet. */
    waitingEvents: () => readyMessageCount(`${namespace}.gateway.events`),
    stopGateway: started.stop,
    /** Returns the caller that a service received. */
    callerOf: (request: Received | undefined) => internal.callerOf(request),
    login: (who: { email: string; password: string }) => login(started.url, who),
    stop: async () => {
      await started.stop()
      await upstream.close()
      await tap.close()
      await cleanup()
      await database.drop()
      rmSync(spoolDir, { recursive: true, force: true })
    },
  }
}

export type GatewayWorld = Awaited<ReturnType<typeof gatewayUnderTest>>

/** Starts a gateway: the first one or another replica. */
export async function start(config: Config) {
  const releases: (() => unknown)[] = []
  const port = await startGateway(config, release => void releases.push(release), logger)
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      for (const release of releases.splice(0).toReversed()) await release()
    },
  }
}

async function seedAll(config: Config) {
  const db = openDatabase({ url: reveal(config.DATABASE_URL), schema, entities })
  const keySettings = { environment: config.COBRO_ENV, peppers: config.API_KEY_PEPPERS }
  const { merchants } = await seedData(
    { db, keySettings },
    {
      operator,
      merchants: [
        { name: 'Café Azul', legal_name: 'Café Azul SA de CV', client: clients[0] },
        { name: 'Café Rojo', legal_name: 'Café Rojo SA de CV', client: clients[1] },
      ],
    },
  )
  await db.close()
  const merchant = (at: number) => ({
    merchant_id: merchants[at]?.merchant_id ?? '',
    key: merchants[at]?.api_key ?? '',
  })
  return { azul: merchant(0), rojo: merchant(1) }
}

async function internalKeys() {
  const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  const kid = newId('key')
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'EdDSA' }] }
  return {
    privateJwk: { ...(await exportJWK(privateKey)), kid, alg: 'EdDSA' },
    callerOf: async (request: Received | undefined) => {
      const verified = await verifyIdentity(jwks, 'transactions')(request as never, {} as never).catch(() =>
        verifyIdentity(jwks, 'checkout')(request as never, {} as never),
      )
      return verified.caller
    },
  }
}

async function login(url: string, who: { email: string; password: string }) {
  const answer = await send(url, '/api/auth/login', { body: who })
  if (answer.status !== 200) throw new Error(`login of ${who.email}: ${answer.status}`)
  return answer.body
}

interface Sent {
  method?: string
  headers?: Record<string, string>
  body?: unknown
}

export interface Answered {
  status: number
  headers: Map<string, string>
  requestId: string
  body: any
}

/** Sends a request and parses the JSON response. */
export async function send(url: string, path: string, { method, headers = {}, body }: Sent = {}): Promise<Answered> {
  const answer = await fetch(`${url}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  return {
    status: answer.status,
    headers: new Map(answer.headers),
    requestId: answer.headers.get('x-request-id') ?? '',
    body: text === '' ? undefined : JSON.parse(text),
  }
}

type Recorded = GatewayWorld['tap']['messages'][number]

/** Waits for the `http.request` event of a call and returns it; fails if there are several. */
export async function eventOf({ tap }: Pick<GatewayWorld, 'tap'>, requestId: string): Promise<Recorded> {
  const [record, ...more] = await waitFor(() => {
    const found = tap.messages.filter(({ name, request_id }) => name === 'http.request' && request_id === requestId)
    return found.length > 0 && found
  })
  expect(more).toEqual([])
  return record as Recorded
}

/** Does what `eventOf` does, in this process, and compares the event with the call's log line. */
export async function recordOf(world: Pick<GatewayWorld, 'tap' | 'lines'>, requestId: string): Promise<Recorded> {
  const record = await eventOf(world, requestId)
  const logged = await waitFor(() => {
    const found = world.lines.filter(({ msg, request_id }) => msg === 'call' && request_id === requestId)
    return found.length > 0 && found
  })
  const common = { level: 'info', time: expect.any(String), service: 'gateway', msg: 'call' }
  expect(logged).toEqual([{ ...common, ...lineOf(record) }])
  return record
}

function lineOf({ data, ...call }: Recorded) {
  const { method, path, status_code, duration_ms, trace_id, metadata } = data
  const { request_id, correlation_id, merchant_id, actor } = call
  const { operation_id: _notLogged, ...details } = metadata ?? {}
  const known = { duration_ms, request_id, correlation_id, trace_id, merchant_id, ...details }
  return {
    ...{ method, path, status_code, actor },
    ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null)),
  }
}

/**
 * Repeats calls until all return this status. Fails unless the last call with another status was
 * sent within a second. The duration of responses on a busy machine does not count.
 */
export async function withinASecond(status: number, ...asks: (() => Promise<{ status: number }>)[]): Promise<void> {
  const changedAt = performance.now()
  let lastOther = changedAt
  await waitFor(async () => {
    const sentAt = performance.now()
    const answers = await Promise.all(asks.map(ask => ask()))
    if (answers.every(answer => answer.status === status)) return true
    lastOther = sentAt
    return false
  })
  expect(lastOther - changedAt).toBeLessThan(1_000)
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
export const token = (key: string) => ({ authorization: `Token ${key}` })
