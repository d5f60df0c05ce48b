import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { webhookCatalog } from '@cobro/contracts'
import { freePort } from '@cobro/local-stack'
import { verifyWebhook } from '@cobro/sdk/webhooks'
import { waitFor } from '@cobro/testing'
import { generate } from 'otplib'
import pLimit from 'p-limit'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf, userClient } from '../src/api-client.ts'
import { type CobroCommand, cobroCommand, loggedInCommand } from '../src/cobro-command.ts'
import { sharedStack } from '../src/shared-stack.ts'
import { startReceiver } from '../src/webhook-receiver.ts'

let stack: AcceptanceStack
let cobro: CobroCommand
const closing: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  stack = await sharedStack()
  cobro = await loggedInCommand(stack)
  const { email, password } = stack.stack.operator
  const { base_url } = stack.stack
  const login = await cobro.run(['login', '--profile', 'op', '--base-url', base_url, '--email', email], password)
  expect(login.code).toBe(0)
  await cobro.run(['use', 'default'])
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})
afterAll(async () => {
  await cobro?.remove()
  await stack?.stop()
})

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: references to earlier steps.
const scenario = `cobro: 1
steps:
  - { id: session, call: checkout.sessions.create, with: { amount_total: 25000, success_url: https://shop.example/ok, metadata: { order: A-43 } } }
  - { pay: "\${session.id}", card: "4000000000009995", expect: { declined: insufficient_funds } }
  - { pay: "\${session.id}", card: "4242424242424242" }
  - { id: paid, await: payment.approved, where: { data.metadata.order: A-43 }, within: 10s }
  - { call: transactions.refund, with: { id: "\${paid.data.id}" } }
  - { id: refunded, await: payment.refunded, within: 30s }
`
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above

/** Returns the arguments of all processes of this machine, which every user may read. */
async function argumentsOfProcesses(): Promise<string> {
  const ids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  // A process may have ended meanwhile.
  const all = await Promise.all(ids.map(id => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')))
  return all.join('\n')
}

test('a key that is typed at a terminal is neither shown nor in the list of processes', async () => {
  const { base_url, api_key } = stack.stack
  const child = cobro.startAtTerminal('login', '--profile', 'typed', '--base-url', base_url)
  let shown = ''
  child.stdout.on('data', data => {
    shown += data
  })
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
  await waitFor(() => shown.includes('API key: '))
  child.stdin.write(`${api_key}\n`)
  const processes = await argumentsOfProcesses()
  expect(await ended).toBe(0)
  expect(shown).toContain('Logged in.')
  for (const text of [shown, processes]) expect(text).not.toContain(api_key.slice('vk_test_'.length))
  // On a busy machine a service may be away for a moment, which is an exit code of its own.
  const { stdout } = await cobro.run(['status', '--profile', 'typed'])
  expect(JSON.parse(stdout).merchant.id).toBe(stack.stack.merchant_id)
  await cobro.run(['use', 'default'])
})

test('a user with a second factor logs in with a code, and confirms its login with another', async () => {
  const { base_url } = stack.stack
  const { operator } = await clientsOf(stack.stack)
  const account = { email: 'codes@cobro.test', password: 'a password that is long' }
  await operator.call('POST', '/api/users', { ...account, role: 'operator', merchants: 'all' })
  const user = await userClient(base_url, account)
  const { secret } = (await user.call('POST', '/api/me/factor')).body.data
  // Each code is accepted once: as if the one before had been of an earlier half minute.
  const code = async () => {
    await stack.query('update gateway.second_factors set last_step = 0')
    return generate({ secret })
  }
  expect((await user.call('POST', '/api/me/factor/confirm', { code: await code() })).status).toBe(200)

  const login = ['login', '--profile', 'codes', '--base-url', base_url, '--email', account.email]
  expect((await cobro.run(login, `${account.password}\n000000\n`)).code).not.toBe(0)
  expect(await cobro.run(login, `${account.password}\n${await code()}\n`)).toMatchObject({ code: 0 })
  const confirmed = await cobro.run(['confirm', '--profile', 'codes'], `${account.password}\n${await code()}\n`)
  expect([confirmed.code, confirmed.stderr]).toEqual([0, expect.stringContaining('Confirmed for five minutes.')])
  await cobro.run(['use', 'default'])
})

test('methods of the SDK are commands', async () => {
  const session = await cobro.json(
    ...['sessions', 'create', '--amount-total', '25000', '--return-url', 'https://shop.example/back'],
    ...['--metadata.order', 'A-7', '--customer.email', 'ana@example.com', '--external-id', '0042'],
  )
  expect(session).toMatchObject({
    external_id: '0042',
    metadata: { order: 'A-7' },
    customer: { email: 'ana@example.com' },
  })
  expect((await cobro.run(['pay', session.id])).stdout).toContain('200 {"status":"approved"')
  const [transaction] = await cobro.json('transactions', 'list', '--metadata-key', 'order', '--metadata-value', 'A-7')
  const refund = await cobro.json('transactions', 'refund', transaction.id)
  expect(refund.refund_status).toBe('processing')
  const link = await cobro.json('links', 'create', '--data', '{"amount_cents":100,"concepto":"Curso"}')
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
  // Its token is about to expire, and commands that run side by side share one refresh.
  const path = join(cobro.home, '.config', 'cobro', 'config.yaml')
  await writeFile(path, (await readFile(path, 'utf8')).replace(/expiresAtMs: \d+/, 'expiresAtMs: 1'), { mode: 0o600 })
  const sideBySide = await Promise.all([1, 2, 3].map(() => cobro.run(['me', '--profile', 'op'])))
  expect(sideBySide.map(({ code }) => code)).toEqual([0, 0, 0])
  const found = await cobro.json('merchants', 'list', '--profile', 'op', '--max-items', '3')
  expect(found.length).toBeGreaterThan(1)
  const merchant = ['--profile', 'op', '--merchant', stack.stack.merchant_id]
  expect((await cobro.json('me', ...merchant)).merchant.id).toBe(stack.stack.merchant_id)
  const session = await cobro.json(
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
    names.map(name => limit(() => cobro.json('trigger', name, '--quiet', '--set', `metadata.order=${name}`))),
  )
  expect(payloads.map(({ event, data }) => [event, data.metadata.order])).toEqual(names.map(name => [name, name]))
})

test('the test of a webhook is triggered at an endpoint, and its delivery shown', async () => {
  const receiver = await startReceiver()
  closing.push(receiver.stop)
  const { merchant } = await clientsOf(stack.stack)
  const { id } = (await merchant.call('POST', '/api/webhooks', { url: receiver.url, events: ['*'] })).body
  closing.push(() => merchant.call('DELETE', `/api/webhooks/${id}`))
  expect(await cobro.json('trigger', 'webhook.test')).toMatchObject({ event: 'webhook.test', status: 'succeeded' })
})

test('a scenario file is run step by step, and a trigger shows one that can be run', async () => {
  const file = join(cobro.home, 'scenario.yaml')
  await writeFile(file, scenario)
  const { session, paid, refunded } = await cobro.json('run', file, '--set', 'session.amount_total=9900')
  expect(session.amount_total).toBe(9_900)
  expect([paid.event, refunded.event]).toEqual(['payment.approved', 'payment.refunded'])
  expect(refunded.data.id).toBe(paid.data.id)
  const { stdout } = await cobro.run(['trigger', 'payment_link.paid', '--show'])
  await writeFile(file, stdout)
  expect((await cobro.json('run', file)).event.event).toBe('payment_link.paid')
})

test('a scenario ends at the step that does not turn out as expected', async () => {
  const { code, stdout, stderr } = await cobro.run(['run', '-'], scenario.replace('insufficient_funds', 'lost_card'))
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('The payment failed: insufficient_funds.')])
  const late = scenario.replace(/ {2}- \{ pay.*\n/g, '').replace('10s', '500ms')
  const waited = await cobro.run(['run', '-'], late)
  expect([waited.code, waited.stderr]).toEqual([5, expect.stringContaining('did not come within 500ms.')])
  const wrong = await cobro.run(['run', '-'], scenario.replace('card:', 'crd:'))
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Step 2 (line 4): There is no key crd.')])
})

test('a receiver that is away gets an event once more by resending it', async () => {
  const port = await freePort()
  const { id } = await cobro.json('trigger', 'payment_link.created', '--quiet')
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
  const columns = ['--columns', 'status', '--columns', 'amount']
  const payments = await cobro.run(['transactions', 'export', ...columns])
  expect([payments.code, payments.stdout.split('\r\n')[0]]).toEqual([0, 'status,amount'])
})

test('events are listed, shown and sent once more', async () => {
  const receiver = await startReceiver()
  closing.push(receiver.stop)
  const triggered = await cobro.json('trigger', 'payment_link.created', '--quiet')
  const both = ['--events', 'payment_link.*', '--events', 'payment.refunded']
  const listed = await cobro.json('events', 'list', ...both, '--limit', '1')
  expect(listed).toEqual([expect.objectContaining({ id: triggered.id, event: 'payment_link.created' })])
  expect(await cobro.json('events', 'show', triggered.id)).toEqual(triggered)
  const sent = await cobro.json('events', 'resend', triggered.id, '--forward-to', receiver.url)
  expect(sent).toMatchObject({ id: triggered.id, status: 200 })
  expect(JSON.parse(String(receiver.received[0]?.rawBody))).toEqual(triggered)
})

test('an event that did not happen is composed, signed and sent to a receiver', async () => {
  const receiver = await startReceiver(({ body }) => (body.data.decline_reason === 'lost_card' ? 200 : 422))
  closing.push(receiver.stop)
  const send = ['events', 'send', '--example', 'payment.declined', '--forward-to', receiver.url]
  const sent = await cobro.json(...send, '--set', 'data.decline_reason=lost_card', '--set', 'data.metadata.order=A-42')
  expect(sent).toMatchObject({ event: 'payment.declined', status: 200, sequence: null })
  const [{ rawBody, headers } = { rawBody: '', headers: {} }] = receiver.received
  const secret = (await cobro.run(['listen', '--print-secret'])).stdout.trim()
  expect(await verifyWebhook(rawBody, headers, secret)).toMatchObject({
    id: sent.id,
    data: { metadata: { order: 'A-42' } },
  })
  const refused = await cobro.run(send)
  expect([refused.code, JSON.parse(refused.stdout)]).toEqual([
    1,
    expect.objectContaining({ status: 422, answer: 'noted' }),
  ])
  const wrong = await cobro.run([...send, '--set', 'data.decline_reson=lost_card'])
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Did you mean: data.decline_reason')])
})

test('open opens the documentation or the page of a payer, or prints the URL where there is no browser', async () => {
  const { base_url, api_key } = stack.stack
  const { id, url } = await cobro.json(
    ...['sessions', 'create', '--amount-total', '25000', '--success-url', 'https://shop.example/thanks'],
  )
  const printed = async (...args: string[]) => (await cobro.run(['open', ...args])).stdout.trim()
  expect(await printed('--print')).toBe(`${base_url}/docs`)
  expect(await printed(id, '--print')).toBe(url)
  expect(await printed('guides/webhooks')).toBe(`${base_url}/docs/guides/webhooks`)
  const desktop = await cobroCommand({
    ...{ COBRO_API_KEY: api_key, COBRO_BASE_URL: base_url, DISPLAY: ':0' },
    PATH: join(cobro.home, 'bin'),
  })
  closing.push(desktop.remove)
  await mkdir(join(cobro.home, 'bin'))
  await writeFile(join(cobro.home, 'bin', 'xdg-open'), `#!/bin/sh\necho "$1" > ${cobro.home}/opened\n`, { mode: 0o755 })
  const opened = await desktop.run(['open', id])
  expect([opened.code, opened.stdout, opened.stderr]).toEqual([0, '', `Opened ${url}\n`])
  expect(await readFile(join(cobro.home, 'opened'), 'utf8')).toBe(`${url}\n`)
})

test('logs tail shows calls as they are recorded', async () => {
  const { child, lines } = cobro.lines('logs', 'tail', '--status', '404', '--output', 'ndjson')
  await waitFor(async () => {
    await cobro.run(['transactions', 'retrieve', 'txn_01kdvc4x2m8p6q7r9s0t1v2w3x'])
    return lines.length > 0
  })
  child.kill('SIGINT')
  expect(lines[0]).toMatchObject({ status_code: 404, error_code: 'not_found', operation_id: 'getTransaction' })
})
