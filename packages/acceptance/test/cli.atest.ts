import { spawnSync } from 'node:child_process'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { webhookCatalog } from '@cobro/contracts'
import { freePort } from '@cobro/local-stack'
import { verifyWebhook } from '@cobro/sdk/webhooks'
import { waitFor } from '@cobro/testing'
import pLimit from 'p-limit'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { cobroCommand } from '../src/cobro-command.ts'
import { sharedStack } from '../src/shared-stack.ts'
import { startReceiver } from '../src/webhook-receiver.ts'

let stack: AcceptanceStack
let cobro: Awaited<ReturnType<typeof cobroCommand>>
const closing: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  stack = await sharedStack()
  cobro = await cobroCommand()
  const { code, stderr } = await cobro.run(['login', '--base-url', stack.stack.base_url], `${stack.stack.api_key}\n`)
  expect([code, stderr]).toEqual([0, expect.stringContaining('Logged in.')])
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})
afterAll(async () => {
  await cobro?.remove()
  await stack?.stop()
})

/** Runs a command that succeeds, and returns the JSON that it printed. */
async function json(...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await cobro.run(args)
  if (code !== 0) throw new Error(`cobro ${args.join(' ')} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

test('a login is checked, and stored where only its user can read it', async () => {
  const path = join(cobro.home, '.config', 'cobro', 'config.yaml')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const status = await json('status')
  expect(status).toMatchObject({ profile: 'default', health: 'ok', kind: 'key', environment: 'sandbox' })
  expect(status.merchant.id).toBe(stack.stack.merchant_id)
  await chmod(path, 0o644)
  const refused = await cobro.run(['status']).finally(() => chmod(path, 0o600))
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining(`chmod 600 ${path}`)])
})

test('a wrong key is not stored', async () => {
  const before = await readFile(join(cobro.home, '.config', 'cobro', 'config.yaml'), 'utf8')
  const wrong = await cobro.run(['login', '--profile', 'wrong', '--base-url', stack.stack.base_url], 'vk_test_wrong')
  expect(wrong.code).toBe(3)
  expect(wrong.stderr).toContain('does not know this credential')
  expect(await readFile(join(cobro.home, '.config', 'cobro', 'config.yaml'), 'utf8')).toBe(before)
})

test('no command prints a key', async () => {
  const port = await freePort()
  const away = await cobroCommand({ COBRO_API_KEY: stack.stack.api_key, COBRO_BASE_URL: `http://127.0.0.1:${port}` })
  closing.push(away.remove)
  const results = [
    await cobro.run(['status']),
    await cobro.run(['profiles']),
    await cobro.run(['transactions', 'retrieve', 'txn_01kdvc4x2m8p6q7r9s0t1v2w3x']),
    await away.run(['status']),
  ]
  expect(results.map(({ code }) => code)).toEqual([0, 0, 1, 4])
  expect(results[3]?.stderr).toContain('ECONNREFUSED')
  for (const { stdout, stderr } of results) expect(stdout + stderr).not.toContain(stack.stack.api_key.slice(8))
})

test.each([
  [['nothing'], 'unknown command'],
  [['listen', '--from', 'yesterday'], '--from is now, last'],
])('cobro %j is wrong usage, and says why', async (args, words) => {
  const { code, stdout, stderr } = await cobro.run(args)
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(words)])
})

test('methods of the SDK are commands', async () => {
  const session = await json(
    ...['sessions', 'create', '--amount-total', '25000', '--return-url', 'https://shop.example/back'],
    ...['--metadata.order', 'A-7', '--customer.email', 'ana@example.com', '--external-id', '0042'],
  )
  expect(session).toMatchObject({
    external_id: '0042',
    metadata: { order: 'A-7' },
    customer: { email: 'ana@example.com' },
  })
  expect((await cobro.run(['pay', session.id])).stdout).toContain('200 {"status":"approved"')
  const [transaction] = await json('transactions', 'list', '--metadata-key', 'order', '--metadata-value', 'A-7')
  const refund = await json('transactions', 'refund', transaction.id)
  expect(refund.refund_status).toBe('processing')
  const link = await json('links', 'create', '--data', '{"amount_cents":100,"concepto":"Curso"}')
  expect(link.data.id).toMatch(/^pl_/)
  const declined = await cobro.run(['pay', link.data.id, '4000 0000 0000 9995'])
  expect([declined.code, declined.stdout]).toEqual([1, expect.stringContaining('402 {"error":"insufficient_funds"')])
  const users = await cobro.run(['users', 'list'])
  expect([users.code, users.stderr]).toEqual([
    3,
    expect.stringContaining('Only a user who is logged in can call users.list'),
  ])
})

test('an operator acts for a merchant, and its session survives', async () => {
  const { email, password } = stack.stack.operator
  const login = await cobro.run(
    ['login', '--profile', 'op', '--base-url', stack.stack.base_url, '--email', email],
    password,
  )
  expect(login.code).toBe(0)
  await cobro.run(['login', '--base-url', stack.stack.base_url], stack.stack.api_key)
  // Its token is about to expire, and commands that run side by side share one refresh.
  const path = join(cobro.home, '.config', 'cobro', 'config.yaml')
  await writeFile(path, (await readFile(path, 'utf8')).replace(/expiresAtMs: \d+/, 'expiresAtMs: 1'), { mode: 0o600 })
  const sideBySide = await Promise.all([1, 2, 3].map(() => cobro.run(['me', '--profile', 'op'])))
  expect(sideBySide.map(({ code }) => code)).toEqual([0, 0, 0])
  const found = await json('merchants', 'list', '--profile', 'op', '--max-items', '3')
  expect(found.length).toBeGreaterThan(1)
  const merchant = ['--profile', 'op', '--merchant', stack.stack.merchant_id]
  expect((await json('me', ...merchant)).merchant.id).toBe(stack.stack.merchant_id)
  const session = await json(
    'sessions',
    'create',
    ...merchant,
    '--amount-total',
    '100',
    '--success-url',
    'https://shop.example',
  )
  expect(session.merchant_id).toBe(stack.stack.merchant_id)
})

test('every event of the catalog can be triggered, with metadata of its own', async () => {
  const limit = pLimit(3)
  const names = Object.keys(webhookCatalog).filter(name => name !== 'webhook.test')
  const payloads = await Promise.all(
    names.map(name => limit(() => json('trigger', name, '--quiet', '--set', `metadata.order=${name}`))),
  )
  expect(payloads.map(({ event, data }) => [event, data.metadata.order])).toEqual(names.map(name => [name, name]))
})

test('the test of a webhook is triggered at an endpoint, and its delivery shown', async () => {
  const receiver = await startReceiver()
  closing.push(receiver.stop)
  const { merchant } = await clientsOf(stack.stack)
  const { id } = (await merchant.call('POST', '/api/webhooks', { url: receiver.url, events: ['*'] })).body
  closing.push(() => merchant.call('DELETE', `/api/webhooks/${id}`))
  expect(await json('trigger', 'webhook.test')).toMatchObject({ event: 'webhook.test', status: 'succeeded' })
})

/** Starts `listen`, and collects the lines of JSON that it prints. */
function listening(...args: string[]) {
  const child = cobro.start(['listen', '--json', ...args])
  const lines: any[] = []
  createInterface({ input: child.stdout }).on('line', line => void lines.push(JSON.parse(line)))
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
  return { child, lines, ended, ready: () => waitFor(() => lines.some(({ type }) => type === 'ready')) }
}

test('listen forwards events as webhooks, signed by a secret that stays the same, and resumes where it ended', async () => {
  const receiver = await startReceiver()
  closing.push(receiver.stop)
  const file = join(cobro.home, '.env')
  // Refunds and disputes of other tests end meanwhile.
  const mine = ['--forward-to', receiver.url, '--events', 'payment.*', '--where', 'data.metadata.test=listen']
  const trigger = (event: string, run: string) =>
    json('trigger', event, '--quiet', '--set', 'metadata.test=listen', '--set', `metadata.run=${run}`)
  const first = listening(...mine, '--write-secret', file)
  await first.ready()
  await waitFor(() => first.lines.length > 0)
  const secret = /^COBRO_WEBHOOK_SECRET=(.*)$/m.exec(await readFile(file, 'utf8'))?.[1] ?? ''
  expect((await cobro.run(['listen', '--print-secret'])).stdout.trim()).toBe(secret)
  await trigger('payment.approved', '1')
  await waitFor(() => receiver.received.length === 1)
  first.child.kill('SIGTERM')
  expect(await first.ended).toBe(130)
  await trigger('payment.approved', '2')
  const second = listening(...mine, '--until', 'payment.declined')
  await waitFor(() => receiver.received.length === 2)
  await trigger('payment.declined', '3')
  expect(await second.ended).toBe(0)
  const events = await Promise.all(
    receiver.received.map(({ rawBody, headers }) => verifyWebhook(rawBody, headers, secret)),
  )
  expect(events.map(({ event, data }) => [event, (data as { metadata?: { run?: number } }).metadata?.run])).toEqual([
    ['payment.approved', 1],
    ['payment.approved', 2],
    ['payment.declined', 3],
  ])
  const [{ headers } = { headers: {} }] = receiver.received
  expect(headers).toMatchObject({
    'x-service-event': 'payment.approved',
    'x-service-delivery': expect.stringMatching(/^whd_/),
  })
})

test('what happens while nothing listens is forwarded the next time, also if nothing was received before', async () => {
  const receiver = await startReceiver()
  closing.push(receiver.stop)
  const mine = ['--forward-to', receiver.url, '--where', 'data.metadata.test=position']
  const first = listening(...mine)
  await first.ready()
  first.child.kill('SIGINT')
  await first.ended
  await json('trigger', 'payment.declined', '--quiet', '--set', 'metadata.test=position')
  const second = listening(...mine, '--until', 'payment.declined')
  expect(await second.ended).toBe(0)
  expect(receiver.received.map(({ body }) => body.event)).toEqual(['checkout_session.created', 'payment.declined'])
})

test('a receiver that is away gets an event once more by resending it', async () => {
  const port = await freePort()
  const { id } = await json('trigger', 'payment_link.created', '--quiet')
  const away = await cobro.run(['events', 'resend', id, '--forward-to', String(port)])
  expect([away.code, JSON.parse(away.stdout)]).toEqual([
    4,
    expect.objectContaining({ status: null, answer: 'ECONNREFUSED' }),
  ])
})

test('an export is written as it arrives', async () => {
  const { code, stdout } = await cobro.run(['audit', 'export', '--profile', 'op', '--format', 'ndjson'])
  expect(code).toBe(0)
  expect(JSON.parse(String(stdout.split('\n')[0]))).toHaveProperty('seq')
})

test('events are listed, shown and sent once more', async () => {
  const receiver = await startReceiver()
  closing.push(receiver.stop)
  const triggered = await json('trigger', 'payment_link.created', '--quiet')
  const listed = await json('events', 'list', '--events', 'payment_link.*', '--limit', '1')
  expect(listed).toEqual([expect.objectContaining({ id: triggered.id, event: 'payment_link.created' })])
  expect(await json('events', 'show', triggered.id)).toEqual(triggered)
  const sent = await json('events', 'resend', triggered.id, '--forward-to', receiver.url)
  expect(sent).toMatchObject({ id: triggered.id, status: 200 })
  expect(JSON.parse(String(receiver.received[0]?.rawBody))).toEqual(triggered)
})

test('logs tail shows calls as they are recorded', async () => {
  const child = cobro.start(['logs', 'tail', '--status', '404', '--output', 'ndjson'])
  const lines: any[] = []
  createInterface({ input: child.stdout }).on('line', line => void lines.push(JSON.parse(line)))
  await waitFor(async () => {
    await cobro.run(['transactions', 'retrieve', 'txn_01kdvc4x2m8p6q7r9s0t1v2w3x'])
    return lines.length > 0
  })
  child.kill('SIGINT')
  expect(lines[0]).toMatchObject({ status_code: 404, error_code: 'not_found', operation_id: 'getTransaction' })
})

test.each(['bash', 'zsh', 'fish'])('the completion for %s names commands and their verbs', async shell => {
  const { stdout } = await cobro.run(['completion', shell])
  for (const word of ['listen', 'trigger', 'sessions', 'retrieve']) expect(stdout).toContain(word)
  if (shell === 'bash') expect(spawnSync('bash', ['-n'], { input: stdout }).status).toBe(0)
})
