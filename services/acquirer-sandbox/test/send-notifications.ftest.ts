import { once } from 'node:events'
import { type TestDatabase, waitFor } from '@cobro/testing'
import { type NotificationReceiver, receiveNotifications } from './notification-receiver.ts'
import {
  apiKey,
  type RunningSandbox,
  runSandbox,
  sandboxDatabase,
  spawnSandbox,
  stopSandboxes,
} from './running-sandbox.ts'

let database: TestDatabase
let receiver: NotificationReceiver

beforeEach(async () => {
  database = await sandboxDatabase()
  receiver = await receiveNotifications()
})

afterEach(async () => {
  await stopSandboxes()
  await receiver.close()
  await database.drop()
})

function run(changes: Parameters<typeof runSandbox>[1] = {}): Promise<RunningSandbox> {
  return runSandbox(database, { NOTIFICATION_URL: receiver.url, ...changes })
}

/** Issues and pays a voucher, and returns its key. */
async function paidVoucher({ acquirer, controls }: RunningSandbox, key: string): Promise<string> {
  const due_at = new Date(Date.now() + 86_400_000)
  const voucher = await acquirer.issueVoucher({ key, amount_cents: 25_000, currency: 'MXN', due_at })
  expect(await controls.payVoucher('reference' in voucher ? voucher.reference : '')).toBe('done')
  return key
}

const stored = async () => (await database.query('select * from acquirer_sandbox.notifications')).length
const keysReceived = () => receiver.received.map(({ body }) => JSON.parse(body.toString()).data.key as string)

test('retries a notification with growing delays until its delivery, with the same bytes and new signatures', async () => {
  const answers = [500, 307, 'cut', 404, 204] as const
  receiver.respondWith(() => answers[receiver.received.length] ?? 204)
  const sandbox = await run({ NOTIFICATION_RETRY_DELAYS_MS: [50, 300, 600] })
  await paidVoucher(sandbox, 'v1')
  await waitFor(async () => receiver.received.length === 5 && (await stored()) === 0)

  const { received } = receiver
  const gaps = received.slice(1).map(({ at }, i) => at - received[i]!.at)
  for (const [i, waitMs] of [50, 300, 600, 600].entries()) expect(gaps[i]).toBeGreaterThanOrEqual(waitMs - 5)
  for (const { body, headers } of received) {
    expect(body.equals(received[0]!.body)).toBe(true)
    expect(await sandbox.acquirer.readNotification(body, headers)).toMatchObject({ of: 'voucher', key: 'v1' })
  }
  expect(new Set(received.map(({ headers }) => headers['acquirer-signature'])).size).toBeGreaterThan(1)
})

test('sends neither the API key nor trace ids with a notification', async () => {
  const sandbox = await run()
  await paidVoucher(sandbox, 'v1')
  const { headers, body } = await waitFor(() => receiver.received[0])
  expect(headers).toMatchObject({ 'content-type': 'application/json' })
  for (const name of ['traceparent', 'baggage', 'authorization']) expect(headers).not.toHaveProperty(name)
  expect(JSON.stringify(headers) + body).not.toContain(apiKey)
})

test('sends no notification before its change is committed', async () => {
  const sandbox = await run()
  const seen: Promise<string>[] = []
  receiver.respondWith(({ data }) => {
    seen.push(sandbox.acquirer.findVoucher(data.key as string).then(voucher => voucher.status))
    return 204
  })
  await Promise.all(Array.from({ length: 30 }, (_, i) => paidVoucher(sandbox, `v${i}`)))
  await waitFor(() => seen.length === 30)
  expect(new Set(await Promise.all(seen))).toEqual(new Set(['paid']))
})

test('delivers a notification after a restart that could not be delivered before', async () => {
  receiver.respondWith(() => 503)
  await paidVoucher(await run({ NOTIFICATION_RETRY_DELAYS_MS: [400] }), 'v1')
  await waitFor(() => receiver.received.length > 0)
  await stopSandboxes()
  expect(await stored()).toBe(1)

  receiver.respondWith(() => 204)
  const sandbox = await run()
  await waitFor(async () => (await stored()) === 0)
  const { body, headers } = receiver.received.at(-1)!
  expect(await sandbox.acquirer.readNotification(body, headers)).toMatchObject({
    key: 'v1',
    outcome: { status: 'paid' },
  })
})

test('delivers a notification after a restart that was not due before', async () => {
  const before = await run({ REFUND_DELAY_MS: 86_400_000 })
  await paidVoucher(before, 'v1')
  await before.acquirer.refund({ key: 'r1', voucher_key: 'v1', amount_cents: 25_000, currency: 'MXN' })
  await waitFor(async () => keysReceived().includes('v1'))
  await stopSandboxes()
  expect(keysReceived()).not.toContain('r1')
  await database.query('update acquirer_sandbox.refunds set settles_at = now()')
  await database.query('update acquirer_sandbox.notifications set next_try_at = now()')

  const after = await run()
  await waitFor(() => keysReceived().includes('r1'))
  expect(await after.acquirer.findRefund('r1')).toMatchObject({ status: 'completed' })
})

test('sends a notification again after its sender was killed during the request', async () => {
  const setup = await run({ NOTIFICATION_URL: 'http://127.0.0.1:1/', NOTIFICATION_RETRY_DELAYS_MS: [1] })
  await paidVoucher(setup, 'v1')
  await stopSandboxes()

  let killed = false
  const settings = { NOTIFICATION_URL: receiver.url, NOTIFICATION_TIMEOUT_MS: '60000', LOG_LEVEL: 'silent' }
  const child = spawnSandbox(database, settings)
  receiver.respondWith(() => {
    child.kill('SIGKILL')
    killed = true
    return 500
  })
  await once(child, 'exit')
  expect([killed, await stored()]).toEqual([true, 1])
  // The claim of the killed process ends.
  await database.query('update acquirer_sandbox.notifications set next_try_at = now()')

  receiver.respondWith(() => 204)
  await run()
  await waitFor(async () => (await stored()) === 0)
  expect(keysReceived()).toEqual(['v1', 'v1'])
})

test('sends each notification of a backlog once from three replicas', async () => {
  const setup = await run({ NOTIFICATION_URL: 'http://127.0.0.1:1/', NOTIFICATION_RETRY_DELAYS_MS: [1] })
  const keys = Array.from({ length: 150 }, (_, i) => `v${i}`)
  await Promise.all(keys.map(key => paidVoucher(setup, key)))
  await stopSandboxes()
  await Promise.all([run(), run(), run()])
  await waitFor(async () => (await stored()) === 0)
  expect(keysReceived().toSorted()).toEqual(keys.toSorted())
})

test('ends a hanging notification request at the timeout, and still sends other notifications', async () => {
  const hanging = await run({ NOTIFICATION_TIMEOUT_MS: 200 })
  receiver.respondWith(({ data }) => (data.key === 'slow' ? 'hang' : 204))
  await paidVoucher(hanging, 'slow')
  await waitFor(() => receiver.unanswered.length > 0)
  await paidVoucher(hanging, 'quick')
  await waitFor(() => keysReceived().includes('quick'))
  await waitFor(() => receiver.unanswered.length > 1)
  // The receiver never answers.
  await stopSandboxes()
})
