import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keyCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { startProcess } from './dispatcher-process.ts'
import { dispatcherWorld, eventOf } from './dispatcher-service.ts'

const perMerchant = 5
const merchants = Array.from({ length: 100 }, () => keyCaller())
const waiters = perMerchant * merchants.length
const mebibyte = 1_048_576
const most = 20 * mebibyte

const port = await freePort()
const url = `http://127.0.0.1:${port}`
const world = await dispatcherWorld()
let dispatcher: ChildProcess
beforeAll(async () => {
  const config = { ...world.config, PORT: port }
  dispatcher = startProcess(config, { script: 'test/fixtures/measured-dispatcher.ts', measured: true })
  await waitFor(async () => (await fetch(`${url}/health/ready`).catch(() => undefined))?.ok)
})
afterAll(async () => {
  dispatcher?.kill('SIGKILL')
  await world.stop()
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

type Merchant = (typeof merchants)[number]

async function read(merchant: Merchant, waitSeconds: number): Promise<{ status: number; data: unknown[] }> {
  const headers = await world.headers(merchant)
  const response = await fetch(`${url}/api/webhook-events?wait=${waitSeconds}`, { headers })
  return { status: response.status, data: ((await response.json()) as { data?: unknown[] }).data ?? [] }
}

/** Waits for an event. Repeats a call that was rejected because a probe had the last place. */
const waitForEvent = (merchant: Merchant) =>
  waitFor(async () => {
    const answer = await read(merchant, 20)
    return answer.status !== 429 && answer
  })

async function heldBytes(): Promise<number> {
  dispatcher.send('measure')
  const [bytes] = await once(dispatcher, 'message')
  return bytes
}

/** Starts all waits that the merchants may have, measures, and ends them with an event each. Returns the memory while they waited. */
async function bytesWhileWaiting(): Promise<number> {
  const waiting = merchants.flatMap(merchant => Array.from({ length: perMerchant }, () => waitForEvent(merchant)))
  // A sixth call that waits is rejected, so each merchant has its five.
  for (const merchant of merchants) await waitFor(async () => (await read(merchant, 1)).status === 429)
  const bytes = await heldBytes()
  for (const { merchant_id } of merchants) await world.publish(eventOf(merchant_id))
  for (const { status, data } of await Promise.all(waiting)) expect([status, data.length]).toEqual([200, 1])
  return bytes
}

test(`${waiters} calls that wait for events hold less than 20 MiB, and leave nothing behind`, async () => {
  await waitFor(() => world.connected())
  // Loads code and fills pools, which is not measured.
  for (const merchant of merchants) expect((await read(merchant, 0)).status).toBe(200)
  const before = await heldBytes()
  const waiting = await bytesWhileWaiting()
  const after = await heldBytes()
  const [held, left] = [waiting - before, after - before].map(bytes => (bytes / mebibyte).toFixed(1))
  process.stdout.write(`${waiters} waiting calls hold ${held} MiB; after their end ${left} MiB are left\n`)
  expect(waiting - before).toBeLessThan(most)
  expect(after - before).toBeLessThan(most / 2)
})
