import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@cobro/local-stack'
import { verifyWebhook } from '@cobro/sdk/webhooks'
import { waitFor } from '@cobro/testing'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { type CobroCommand, cobroCommand, loggedInCommand } from '../src/cobro-command.ts'
import { sharedStack } from '../src/shared-stack.ts'
import { startReceiver } from '../src/webhook-receiver.ts'

let stack: AcceptanceStack
let cobro: CobroCommand
const closing: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  stack = await sharedStack()
  cobro = await loggedInCommand(stack)
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})
afterAll(async () => {
  await cobro?.remove()
  await stack?.stop()
})

/** Starts `listen`, and collects the lines of JSON that it prints. */
const listening = (...args: string[]) => cobro.lines('listen', '--json', ...args)

test('listen forwards events as webhooks, signed by a secret that stays the same, and resumes where it ended', async () => {
  const receiver = await startReceiver()
  closing.push(receiver.stop)
  const file = join(cobro.home, '.env')
  // Refunds and disputes of other tests end meanwhile.
  const mine = ['--forward-to', receiver.url, '--events', 'payment.*', '--where', 'data.metadata.test=listen']
  const trigger = (event: string, run: string) =>
    cobro.json('trigger', event, '--quiet', '--set', 'metadata.test=listen', '--set', `metadata.run=${run}`)
  const first = listening(...mine, '--write-secret', file)
  await first.ready()
  await waitFor(() => first.lines.length > 0)
  const secret = /^COBRO_WEBHOOK_SECRET=(.*)$/m.exec(await readFile(file, 'utf8'))?.[1] ?? ''
  expect((await cobro.run(['listen', '--print-secret'])).stdout.trim()).toBe(secret)
  await trigger('payment.approved', '1')
  await waitFor(() => first.lines.some(({ event }) => event === 'payment.approved'))
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
  await cobro.json('trigger', 'payment.declined', '--quiet', '--set', 'metadata.test=position')
  const second = listening(...mine, '--until', 'payment.declined')
  expect(await second.ended).toBe(0)
  expect(receiver.received.map(({ body }) => body.event)).toEqual(['checkout_session.created', 'payment.declined'])
})

test('a receiver that fails gets the event again after growing delays, and later events do not wait', async () => {
  let failing = 3
  const receiver = await startReceiver(({ body }) =>
    body.event === 'checkout_session.created' && failing-- > 0 ? 500 : 200,
  )
  closing.push(receiver.stop)
  const mine = [
    '--forward-to',
    receiver.url,
    '--where',
    'data.metadata.test=retries',
    '--retries',
    '--time-scale',
    '0.02',
  ]
  const first = listening(...mine)
  await first.ready()
  await cobro.json('trigger', 'payment.declined', '--quiet', '--set', 'metadata.test=retries')
  await waitFor(() => first.lines.filter(({ type }) => type === 'event').length >= 2)
  // It ends between two attempts, and goes on with them the next time.
  first.child.kill('SIGTERM')
  expect(await first.ended).toBe(130)
  const second = listening(...mine)
  await waitFor(() => second.lines.some(({ event, status }) => event === 'checkout_session.created' && status === 200))
  const events = receiver.received.map(({ body, status }) => [body.event, status])
  expect(events.filter(([event]) => event === 'payment.declined')).toEqual([['payment.declined', 200]])
  expect(events.filter(([event]) => event === 'checkout_session.created').map(([, status]) => status)).toEqual([
    ...[500, 500, 500, 200],
  ])
  const ids = receiver.received.map(({ headers }) => headers['x-service-delivery'])
  expect(new Set(ids).size).toBe(2)
  second.child.kill('SIGTERM')
  expect(await second.ended).toBe(130)
})

test('listen goes on in the background until it is stopped', async () => {
  const receiver = await startReceiver()
  closing.push(receiver.stop)
  const mine = ['--forward-to', receiver.url, '--where', 'data.metadata.test=detach']
  const file = join(cobro.home, 'detached.env')
  const started = await cobro.run(['listen', ...mine, '--write-secret', file, '--detach'])
  expect([started.code, started.stderr]).toEqual([0, expect.stringContaining('Stop it with: cobro listen --stop')])
  closing.push(() => cobro.run(['listen', '--stop']))
  const log = /Log: (\S+\.log)/.exec(started.stderr)?.[1] ?? ''
  expect((await stat(log)).mode & 0o777).toBe(0o600)
  await cobro.json('trigger', 'payment_link.created', '--quiet', '--set', 'metadata.test=detach')
  await waitFor(() => receiver.received.length === 1)
  await waitFor(async () => (await readFile(log, 'utf8')).includes('payment_link.created'))
  const secret = /^COBRO_WEBHOOK_SECRET=(.*)$/m.exec(await readFile(file, 'utf8'))?.[1] ?? ''
  const [{ rawBody, headers } = { rawBody: '', headers: {} }] = receiver.received
  expect((await verifyWebhook(rawBody, headers, secret)).event).toBe('payment_link.created')

  const again = await cobro.run(['listen', ...mine, '--detach'])
  expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('is running already')])
  const from = await cobro.run(['listen', ...mine, '--from', '15m', '--detach'])
  expect([from.code, from.stderr]).toEqual([1, expect.stringContaining('runs already, and keeps its position')])
  const beside = await cobro.run(['listen', ...mine])
  expect([beside.code, beside.stderr]).toEqual([1, expect.stringContaining('Another listener has the same events')])
  const other = await cobro.run(['listen', ...mine, '--events', 'payment.*', '--detach'])
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('Stop it first')])
  const elsewhere = await cobro.run(['listen', '--stop', '--forward-to', '1'])
  expect([elsewhere.code, elsewhere.stderr]).toEqual([0, expect.stringContaining('No listener')])
  const stopped = await cobro.run(['listen', '--stop'])
  expect([stopped.code, stopped.stderr]).toEqual([0, `Stopped the listener for ${receiver.url}.\n`])
  const none = await cobro.run(['listen', '--stop'])
  expect([none.code, none.stderr]).toEqual([0, expect.stringContaining('No listener')])
  await expect(stat(log)).rejects.toThrow('ENOENT')
})

test('a listener in the background ends with the credential that it was started with', async () => {
  const { base_url, api_key, second } = stack.stack
  const logIn = (key: string) => cobro.run(['login', '--profile', 'shop', '--base-url', base_url], `${key}\n`)
  const listen = () => cobro.run(['listen', '--detach', '--profile', 'shop', '--forward-to', '1'])
  await logIn(api_key)
  closing.push(() => cobro.run(['use', 'default']))
  closing.push(() => cobro.run(['listen', '--stop', '--profile', 'shop']))
  expect((await listen()).stderr).toContain('Stop it with: cobro listen --stop\n')
  expect((await logIn(api_key)).stderr).not.toContain('Stopped')
  expect((await logIn(second.api_key)).stderr).toContain('Stopped the listener for http://localhost:1')
  expect((await listen()).stderr).toContain('Ready.')
  // Another shell has the key of another merchant for the same profile.
  const shell = await cobroCommand({
    ...{ HOME: cobro.home, COBRO_API_KEY: api_key, COBRO_BASE_URL: base_url },
  })
  closing.push(shell.remove)
  const other = await shell.run(['listen', '--detach', '--forward-to', '1'])
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('runs with other options')])
  await cobro.run(['use', 'default'])
  const again = await listen()
  expect([again.code, again.stderr]).toEqual([
    0,
    expect.stringContaining('Stop it with: cobro listen --stop --profile shop\n'),
  ])
  const out = await cobro.run(['logout', '--profile', 'shop'])
  expect([out.code, out.stderr]).toEqual([0, expect.stringContaining('Stopped the listener for http://localhost:1')])
})

test('listen in the background fails with the error and the exit code that it has in the foreground', async () => {
  const away = await cobroCommand({
    COBRO_API_KEY: stack.stack.api_key,
    COBRO_BASE_URL: `http://127.0.0.1:${await freePort()}`,
  })
  closing.push(away.remove)
  const failed = await away.run(['listen', '--detach'])
  expect([failed.code, failed.stderr]).toEqual([4, expect.stringContaining('Cannot reach the API: ECONNREFUSED.')])
  const usage = await cobro.run(['listen', '--from', 'yesterday', '--detach'])
  expect([usage.code, usage.stderr]).toEqual([2, expect.stringContaining('--from is now, last')])
})
