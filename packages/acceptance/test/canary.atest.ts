import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { payHosted } from '@cobro/local'
import { busNames, type QueueName, queues } from '@cobro/messaging'
import { startOtlpReceiver, tapEvents, waitFor } from '@cobro/testing'
import { connect } from 'amqplib'
import { type AcceptanceStack, acceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { startReceiver } from '../src/webhook-receiver.ts'

/** A card number like no other in this repository. It passes Luhn, and the sandbox approves it. */
const card = '4929871043526684'
const cvc = '123'

/** What a test opened, closed also when it fails. */
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

let stack: AcceptanceStack
let collector: Awaited<ReturnType<typeof startOtlpReceiver>>
beforeAll(async () => {
  collector = await startOtlpReceiver()
  stack = await acceptanceStack({
    all: {
      LOG_LEVEL: 'trace',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    },
  })
}, 120_000)
afterAll(async () => {
  await stack?.stop()
  await collector?.stop()
}, 60_000)

test('a card number is nowhere, and neither are keys, secrets and passwords', async () => {
  const { operator, client, second, api_key } = stack.stack
  const tap = await tapEvents(stack.bus)
  closing.push(tap.close)
  const commandsSeen = await tapCommands()
  closing.push(commandsSeen.close)
  const receiver = await startReceiver((_webhook, before) => (before.length === 0 ? 500 : 200))
  closing.push(receiver.stop)
  const { merchant, payer, operator: staff } = await clientsOf(stack.stack)
  const endpoint = (await merchant.call('POST', '/api/webhooks', { url: receiver.url, events: ['*'] })).body
  const session = (
    await merchant.call('POST', '/checkout/v1/sessions', { amount_total: 7_700, return_url: 'https://shop.mx' })
  ).body

  // Every place where somebody may put a card number by mistake or on purpose.
  const spaced = card.replace(/(\d{4})(?=\d)/g, '$1 ')
  const refused = [
    await merchant.call('POST', '/checkout/v1/sessions', {
      amount_total: 1,
      return_url: 'https://shop.mx',
      metadata: { note: card },
    }),
    await merchant.call('POST', '/checkout/v1/sessions', {
      amount_total: 1,
      return_url: 'https://shop.mx',
      external_id: spaced,
    }),
    await merchant.call('POST', '/checkout/v1/sessions', `{"amount_total": ${card}, "return_url": "https://shop.mx"}`),
    await merchant.call('POST', '/checkout/v1/sessions', `{"card": "${card}"`),
    await merchant.call('GET', `/api/transactions?search=${card}`),
    await merchant.call('GET', `/api/transactions/${card}`),
    await merchant.call('GET', `/${spaced.replaceAll(' ', '%20')}`),
    await payer.call('POST', `/hosted/v1/checkout/${session.id}/payments`, { method: 'card', number: card, cvc }),
    await payer.call('POST', '/api/auth/login', { email: card, password: card }),
    await payer.call('GET', '/health', undefined, {
      'user-agent': `canary ${card}`,
      'x-request-id': card,
      referer: `https://x/${card}`,
    }),
    await payer.call('GET', '/api/transactions', undefined, { authorization: `Bearer ${card}` }),
    await staff.call('GET', `/api/events?search=${card}`),
  ]
  for (const answer of refused) expect(JSON.stringify(answer.body)).not.toContain(card)

  expect((await payHosted(stack.stack.hosted_url, session.id, card)).status).toBe(200)
  const [transaction] = (await merchant.call('GET', `/api/transactions?correlation_id=${session.correlation_id}`)).body
    .data
  expect(transaction.card).toEqual({ brand: 'visa', last4: card.slice(-4) })
  await waitFor(() => receiver.acknowledged().includes('checkout_session.completed'))
  await waitFor(() =>
    collector
      .spans()
      .some(span => span.attributes.correlation_id === session.correlation_id && span.service === 'audit-log'),
  )

  const places: Record<string, string> = {
    ...(await dumpTables()),
    ...(await readFiles(stack.dir, name => name !== 'secrets.json' && name !== 'seed.json' && name !== 'stack.json')),
    spans: JSON.stringify(collector.spans()),
    events: JSON.stringify(tap.messages),
    commands: JSON.stringify(commandsSeen.messages),
    parked: await readParked(),
    webhooks: JSON.stringify(receiver.received),
  }
  // The search itself is tried first: what must be there is found.
  expect(Object.entries(places).filter(([, text]) => text.includes(transaction.id)).length).toBeGreaterThan(5)
  expectLines(
    places,
    [merchant, payer].flatMap(({ requestIds }) => requestIds),
  )
  const secrets = {
    'the card number': card,
    'the spaced card number': spaced,
    'an API key': api_key,
    "the second merchant's API key": second.api_key,
    'a webhook secret': endpoint.secret,
    "the operator's password": operator.password,
    "the user's password": client.password,
  }
  for (const [what, secret] of Object.entries(secrets)) {
    const found = Object.entries(places).filter(
      ([, text]) => text.includes(secret) || text.includes(Buffer.from(secret).toString('base64').replace(/=+$/, '')),
    )
    expect([what, found.map(([place]) => place)]).toEqual([what, []])
  }
}, 120_000)

/** The search looked into a line of every call at the gateway, and at each service into those of the calls it was asked. */
function expectLines(places: Record<string, string>, requestIds: string[]): void {
  const logs = Object.entries(places).filter(([name]) => name.endsWith('.log'))
  const lines = logs.flatMap(([, text]) => text.split('\n').filter(line => line.includes('"msg":"call"')))
  const calls = lines.map(line => JSON.parse(line))
  expect(logs).toHaveLength(6)
  expect(new Set(calls.map(({ service }) => service)).size).toBe(6)
  const atGateway = calls.filter(({ service }) => service === 'gateway')
  expect(atGateway.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/api/transactions/[card]', '/[card]', '/api/transactions']),
  )
  const idsOf = (some: typeof calls) => some.map(({ request_id }) => request_id)
  expect(
    idsOf(atGateway)
      .filter(id => requestIds.includes(id))
      .toSorted(),
  ).toEqual(requestIds.toSorted())
  const inside = calls.filter(({ service, request_id }) => service !== 'gateway' && requestIds.includes(request_id))
  expect(inside.length).toBeGreaterThan(5)
  for (const { service, request_id, trace_id, route } of inside) {
    const [outside, ...more] = atGateway.filter(line => line.request_id === request_id)
    expect([service, trace_id, more]).toEqual([service, outside.trace_id, []])
    expect([service, route]).toEqual([service, expect.stringMatching(/^\/[\w/:.-]+$/)])
  }
}

/** Every row of every table of every schema, as text; bytes as the text that they hold. */
async function dumpTables(): Promise<Record<string, string>> {
  const tables = await stack.query(
    `select table_schema as schema, table_name as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  )
  expect(tables.length).toBeGreaterThan(15)
  const asText = (_key: string, value: { type?: string; data?: number[] } | null) =>
    value?.type === 'Buffer' && value.data ? Buffer.from(value.data).toString('utf8') : value
  const dumps: Record<string, string> = {}
  for (const { schema, name } of tables) {
    dumps[`${schema}.${name}`] = JSON.stringify(await stack.query(`select * from ${schema}.${name}`), asText)
  }
  return dumps
}

async function readFiles(folder: string, wanted: (name: string) => boolean): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter(entry => entry.isFile() && wanted(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    await Promise.all(files.map(async file => [file, (await readFile(file)).toString('latin1')])),
  )
}

/** Hears every command, the charge with its token included. */
async function tapCommands() {
  const model = await connect(stack.bus.url)
  const channel = await model.createChannel()
  const { queue } = await channel.assertQueue('', { exclusive: true })
  await channel.bindQueue(queue, busNames(stack.bus.namespace).exchange('commands'), '#')
  const messages: unknown[] = []
  await channel.consume(
    queue,
    raw => void (raw && messages.push({ headers: raw.properties.headers, content: raw.content.toString('utf8') })),
    { noAck: true },
  )
  return { messages, close: () => model.close() }
}

async function readParked(): Promise<string> {
  const model = await connect(stack.bus.url)
  const channel = await model.createChannel()
  const found: string[] = []
  for (const queue of Object.keys(queues) as QueueName[]) {
    for (const name of [busNames(stack.bus.namespace).parked(queue), busNames(stack.bus.namespace).retry(queue)]) {
      const raw = await channel.get(name)
      if (raw) found.push(raw.content.toString('utf8'))
    }
  }
  await model.close()
  return found.join('\n')
}
