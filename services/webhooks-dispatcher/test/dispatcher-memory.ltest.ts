import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { keyCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { selfSigned } from '@cobro/testing/test-certificates'
import type { WebhookAttemptRow } from '../src/webhook-deliveries/delivery-entity.ts'
import { startProcess } from './dispatcher-process.ts'
import { dispatcherWorld, eventOf, startReplica, type World } from './dispatcher-service.ts'
import { malformedResponses } from './malformed-responses.ts'

const timeoutMs = 1_000
/** An attempt without a timeout would never end. */
const endlessMs = 30_000
const mebibyte = 1_048_576

const merchant = keyCaller()
const servers: Server[] = []
/** The behavior of each endpoint, and the expected result of an attempt. */
const endpoints = new Map<string, { what: string; expected: object }>()
let world: World
let dispatcher: ChildProcess
beforeAll(async () => {
  // The retry delay of ten minutes means one attempt each.
  world = await dispatcherWorld({ WEBHOOK_TIMEOUT_MS: timeoutMs, WEBHOOK_RETRY_DELAYS_MS: [600_000] })
  const replica = await startReplica(world)
  const subscribe = async (url: string, what: string, expected: object) => {
    const { body } = await replica.call(merchant, 'POST', '/api/webhooks', { url, events: ['*'] })
    endpoints.set(body.id, { what, expected })
  }
  for (const [what, serve, expected] of malformedResponses) {
    const server = createServer(socket => {
      socket.on('error', () => undefined)
      socket.once('data', () => serve(socket))
    })
    await subscribe(await listening(server, 'http'), what, expected)
  }
  const certificate = await selfSigned('127.0.0.1')
  const secure = createTlsServer(certificate).on('tlsClientError', () => undefined)
  await subscribe(await listening(secure, 'https'), 'has a self-signed certificate', {
    status_code: null,
    error: 'tls_failed',
  })
  await replica.stop()
  dispatcher = startProcess(world.config, { script: 'test/fixtures/measured-dispatcher.ts', measured: true })
})
afterAll(async () => {
  dispatcher.kill('SIGKILL')
  for (const server of servers) server.close()
  await world.stop()
})

async function listening(server: Server, scheme: string): Promise<string> {
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const query = <T>(sql: string) => world.db.read(em => em.execute<T[]>(sql))

/**
 * Publishes events, waits until each was sent to every endpoint, and returns the memory in use.
 * Publishes five at a time, so that a slow machine is not busy for longer than an attempt's timeout.
 */
async function memoryAfter(events: number): Promise<number> {
  for (let published = 0; published < events; published += 5) {
    const before = await attempted()
    for (let i = 0; i < 5; i++) await world.publish(eventOf(merchant.merchant_id))
    await waitFor(async () => (await attempted()) >= before + 5 * (endpoints.size - 1))
    await waitFor(async () => (await query(unattempted)).length === 0)
  }
  dispatcher.send('measure')
  const [bytes] = await once(dispatcher, 'message')
  return bytes
}

const attempted = async () =>
  (await query<{ count: number }>(`select count(distinct delivery_id)::integer from webhooks.attempts`))[0]?.count ?? 0
const unattempted = `
  select 1 from webhooks.deliveries where status = 'delivering' or (status = 'pending' and attempt_count = 0)`

test('misbehaving receivers grow the memory of the dispatcher by less than 5 MiB, and each attempt ends in time with its error', async () => {
  // The first deliveries load code and fill pools, which is not measured.
  const before = await memoryAfter(10)
  const grown = (await memoryAfter(30)) - before
  process.stdout.write(
    `after ${await attempted()} deliveries to bad receivers: ${(grown / mebibyte).toFixed(2)} MiB more\n`,
  )
  expect(grown).toBeLessThan(5 * mebibyte)

  const attempts = await query<WebhookAttemptRow & { webhook_id: string }>(
    'select d.webhook_id, a.* from webhooks.attempts a join webhooks.deliveries d on d.id = a.delivery_id',
  )
  const tried = Map.groupBy(attempts, ({ webhook_id }) => webhook_id)
  for (const [id, { what, expected }] of endpoints) {
    const made = tried.get(id) ?? []
    // The endpoint that answers 410 is disabled by the first response.
    expect([what, made.length >= (what === 'is gone' ? 1 : 40)]).toEqual([what, true])
    // On a busy machine some responses may be too late.
    expect([what, made]).toEqual([what, expect.arrayContaining([expect.objectContaining(expected)])])
    for (const { status_code, error } of made) expect([what, status_code === null]).toEqual([what, error !== null])
    expect([what, Math.max(...made.map(one => one.duration_ms ?? 0)) < endlessMs]).toEqual([what, true])
  }
})
