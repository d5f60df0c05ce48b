import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { httpRequests, newId, webhookAttempts } from '@cobro/contracts'
import type { LoginName } from '@cobro/contracts/broker'
import { declareBus, openPublisher, startConsumer } from '@cobro/messaging'
import { createLogger } from '@cobro/runtime'
import { programEnv, testNamespace, testSetting, waitFor } from '@cobro/testing'
import { connect } from 'amqplib'

const { url, namespace, login, cleanup } = testNamespace()
const logger = createLogger('ops-test', 'silent')
const users: string[] = []

beforeAll(async () => declareBus(await login('migrate'), namespace))
afterAll(async () => {
  for (const user of users) await api('DELETE', `/api/users/${user}`)
  await cleanup()
})

async function api(method: string, path: string, body?: string) {
  const { username, password, origin } = new URL(testSetting('TEST_RABBITMQ_API_URL'))
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const headers = { authorization, 'content-type': 'application/json' }
  const { status } = await fetch(`${origin}${path}`, { method, headers, ...(body ? { body } : {}) })
  return status
}

async function printLogins(input: string, ...args: string[]) {
  const program = ['--conditions=cobro-source', join(import.meta.dirname, '..', 'src', 'main.ts')]
  const env = { ...programEnv(), AMQP_NAMESPACE: namespace }
  const child = spawn(process.execPath, [...program, 'rabbitmq', 'logins', ...args], { env })
  child.stdin.end(input)
  const exited = new Promise<number | null>(resolve => child.once('close', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await exited, stdout, stderr }
}

/** Creates logins as an operator does, and returns their URLs. */
async function createLogins<N extends LoginName>(logins: N[], suffix: string): Promise<Record<N, string>> {
  const passwords = logins.map(name => [name, randomUUID()] as const)
  const vhost = decodeURIComponent(new URL(url).pathname.slice(1)) || '/'
  const input = JSON.stringify(Object.fromEntries(passwords))
  const printed = await printLogins(input, `--vhost=${vhost}`, `--suffix=${suffix}`)
  expect([printed.code, printed.stderr]).toEqual([0, ''])
  for (const [, password] of passwords) expect(printed.stdout).not.toContain(password)
  expect(await api('POST', '/api/definitions', printed.stdout)).toBe(204)
  const urls = passwords.map(([name, password]) => {
    const username = `${namespace}-${name}-${suffix}`
    users.push(username)
    return [name, Object.assign(new URL(url), { username, password }).href]
  })
  return Object.fromEntries(urls)
}

const outgoing = (name: string) => {
  const id = newId('evt')
  return { id, body: Buffer.from(JSON.stringify({ id, name, occurred_at: new Date(), data: {} })) }
}

test('RabbitMQ accepts the printed logins, and only with their passwords', async () => {
  const { checkout } = await createLogins(['checkout'], '1')
  await (await connect(checkout)).close()
  const guessed = Object.assign(new URL(checkout), { password: 'another password' })
  await expect(connect(guessed.href)).rejects.toThrow('ACCESS-REFUSED')
})

test.each([
  ['', 'Expected a JSON object'],
  ['["secret password"]', 'Expected a JSON object'],
  ['{"secret":', 'Expected a JSON object'],
  ['{}', 'Give at least one password'],
  ['{"root":"a secret password"}', 'Unknown login: expected gateway, checkout,'],
  ['{"checkout":"secret"}', 'checkout: expected a password of at least 12 characters'],
  ['{"checkout":["a secret password"]}', 'checkout: expected a password of at least 12 characters'],
])('rejects the input %j without repeating it', async (input, message) => {
  const { code, stdout, stderr } = await printLogins(input)
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)])
  expect(stderr).not.toContain('secret')
})

const flows = [
  { queue: 'audit-log.events', exchange: 'events', name: 'merchant.updated', sender: 'gateway' },
  { queue: 'audit-log.calls', exchange: 'calls', name: httpRequests.name, sender: 'gateway' },
  {
    queue: 'audit-log.webhook-attempts',
    exchange: 'webhook-attempts',
    name: webhookAttempts.name,
    sender: 'webhooks-dispatcher',
  },
] as const

test.each(flows)('logins are replaced while messages flow to $queue, and none is lost', async flow => {
  const { queue, exchange, name, sender } = flow
  const handled: string[] = []
  const sent: string[] = []
  const open = async (suffix: string) => {
    const urls = await createLogins([sender, 'audit-log'], suffix)
    const own = openPublisher({ url: urls['audit-log'], namespace, logger })
    const consumer = startConsumer({
      ...{ url: urls['audit-log'], namespace, logger, queue, prefetch: 10, publisher: own },
      handle: async ({ id }) => void handled.push(id),
      isUnavailable: () => false,
      ping: async () => {},
    })
    const publisher = openPublisher({ url: urls[sender], namespace, logger })
    await waitFor(() => publisher.connected() && consumer.connected())
    const send = async () => {
      const message = outgoing(name)
      await publisher.publish(exchange, name, message)
      sent.push(message.id)
    }
    const stop = () => Promise.all([consumer.stop(), publisher.close(), own.close()])
    return { send, stop, connected: () => publisher.connected() || consumer.connected() }
  }
  const before = await open('1')
  await before.send()
  const after = await open('2')
  await Promise.all([before.send(), after.send()])
  for (const login of [sender, 'audit-log']) expect(await api('DELETE', `/api/users/${namespace}-${login}-1`)).toBe(204)
  await waitFor(() => !before.connected())
  await after.send()
  await waitFor(() => sent.every(id => handled.includes(id)))
  await Promise.all([before.stop(), after.stop()])
  expect(sent).toHaveLength(4)
})
