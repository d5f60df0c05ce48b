import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { databaseUrls, encryptTestCard, payInCash } from '@cobro/local-stack'
import { startOtlpReceiver, tapEvents, testSetting, waitFor } from '@cobro/testing'
import { generate } from 'otplib'
import { type AcceptanceStack, acceptanceStack } from '../src/acceptance-stack.ts'
import { type ApiClient, clientsOf, userClient } from '../src/api-client.ts'
import { dumpTables, readDeadLetters, readFiles, readMails, readMetrics, tapCommands } from '../src/canary-places.ts'
import { containsSecret, passwordsOf, type SecretText, secretTexts } from '../src/secret-texts.ts'
import { startReceiver } from '../src/webhook-receiver.ts'

/** A card number found nowhere else in this repository. Luhn-valid, and the sandbox approves it. */
const card = '4929871043526684'
const cvc = '123'
/** A secret path segment with which a merchant keeps strangers from calling its endpoint. */
const pathToken = 'a-token-that-only-the-merchant-knows'

/** The files of a stack whose purpose is to store secrets. */
const keepers = ['secrets.json', 'seed.json', 'stack.json', 'made-database.json']

/**
 * Patterns that must occur nowhere, such as access tokens, service tokens and encrypted cards. Those with a short beginning count at the
 * beginning of a word alone: what is encrypted is random text, in which it occurs now and then.
 */
const forbidden =
  /eyJ[\w-]{10,}\.[\w-]*\.|vk_(?:test|live)_\w{20}|(?<![\w-])v[rs]t_[\w-]{20}|whsec_[\w+/]{20}|(?:Bearer|Token) \w{12}|cv[cv]\W{1,9}\d{3}/gi

/** What a test opened; closed even if the test fails. */
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
      OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
      OTEL_BSP_EXPORT_TIMEOUT: '60000',
    },
  })
})
afterAll(async () => {
  await stack?.stop()
  await collector?.stop()
})

test('stores and logs no card number, key, secret, token or password anywhere', async () => {
  const { operator, client } = stack.stack
  const tap = await tapEvents(stack.bus)
  closing.push(tap.close)
  const commandsSeen = await tapCommands(stack)
  closing.push(commandsSeen.close)
  const receiver = await startReceiver((_webhook, before) => (before.length === 0 ? 500 : 200))
  closing.push(receiver.stop)
  const clients = await clientsOf(stack.stack)
  const { merchant, payer, operator: staff } = clients

  // Every secret that an answer contains, and its successor.
  const login = (await payer.call('POST', '/api/auth/login', client)).body
  const refreshed = (await payer.call('POST', '/api/auth/refresh', { refresh_token: login.refresh_token })).body
  const key = (await clients.client.call('POST', '/api/api-keys', { name: 'canary' })).body
  const nextKey = (await clients.client.call('POST', `/api/api-keys/${key.id}/rotate`, {})).body
  const user = { email: 'canary@cobro.test', name: 'Canary', role: 'client', merchant_id: stack.stack.merchant_id }
  const invited = (await staff.call('POST', '/api/users', user)).body
  const factor = await setUpFactor(staff)
  const hooks = { url: `${receiver.url}/${pathToken}`, events: ['*'] }
  const endpoint = (await merchant.call('POST', '/api/webhooks', hooks, { 'idempotency-key': 'canary' })).body
  const rotated = (await merchant.call('POST', `/api/webhooks/${endpoint.id}/rotate`)).body
  const issued: SecretText[] = Object.entries({
    'an access token': login.token,
    'a refresh token': login.refresh_token,
    'a device token': login.device_token,
    'the next access token': refreshed.token,
    'the next refresh token': refreshed.refresh_token,
    'the next device token': refreshed.device_token,
    'an API key': key.key,
    'the next API key': nextKey.key,
    'a setup token': invited.setup_token,
    'a webhook secret': endpoint.secret,
    'the next webhook secret': rotated.secret,
  })
  expect(issued.filter(([, text]) => !(text?.length > 20))).toEqual([])

  const opening = { amount_total: 7_700, return_url: 'https://shop.mx' }
  const session = (await merchant.call('POST', '/checkout/v1/sessions', opening)).body
  const hosted = `/hosted/v1/checkout/${session.id}`

  // Every place where a caller may put a card number, by mistake or on purpose.
  const spaced = card.replace(/(\d{4})(?=\d)/g, '$1 ')
  const sessions = '/checkout/v1/sessions'
  const refused = [
    await merchant.call('POST', sessions, { ...opening, metadata: { note: card } }),
    await merchant.call('POST', sessions, { ...opening, external_id: spaced }),
    await merchant.call('POST', sessions, `{"amount_total": ${card}, "return_url": "https://shop.mx"}`),
    await merchant.call('POST', sessions, `{"card": "${card}"`),
    await merchant.call('GET', `/api/transactions?search=${card}`),
    await merchant.call('GET', `/api/transactions/${card}`),
    await merchant.call('GET', `/${spaced.replaceAll(' ', '%20')}`),
    // An ill-formed percent sign must not hide the well-formed ones.
    await merchant.call('GET', `/%/%${card.charCodeAt(0).toString(16)}${card.slice(1)}`),
    await merchant.call('GET', `/a/%ff/${spaced.replaceAll(' ', '%20')}`),
    await payer.call('POST', `${hosted}/payments`, { method: 'card', number: card, cvc }),
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
  // And every place where a caller may put an issued secret.
  for (const [, text] of issued) {
    await merchant.call('GET', `/api/transactions?search=${encodeURIComponent(text)}`)
    await merchant.call('GET', `/api/webhooks/${encodeURIComponent(text)}`)
    await merchant.call('GET', `/%/api/webhooks/${text.replaceAll('_', '%5F')}`)
    await payer.call('GET', '/health', undefined, { 'user-agent': `canary ${text}`, referer: `https://x/?a=${text}` })
    await payer.call('POST', '/api/auth/login', { email: text, password: text, device_token: text })
    await payer.call('GET', '/api/transactions', undefined, { authorization: `Bearer ${text}x` })
  }
  await payer.call('POST', '/api/auth/login', { email: operator.password, password: operator.password })

  const page = (await payer.call('GET', hosted)).body.data
  const card_jwe = await encryptTestCard(page, card)
  const paying = { 'idempotency-key': crypto.randomUUID() }
  const paid = await payer.call('POST', `${hosted}/payments`, { method: 'card', card_jwe }, paying)
  expect(paid.status).toBe(200)
  const tested = await merchant.call('POST', `/api/webhooks/${endpoint.id}/test`)
  const transactionOf = async ({ correlation_id }: { correlation_id: string }) =>
    (await merchant.call('GET', `/api/transactions?correlation_id=${correlation_id}`)).body.data[0]
  const transaction = await transactionOf(session)
  expect(transaction.card).toEqual({ brand: 'visa', last4: card.slice(-4) })
  // The acquirer's notifications about refunds and cash are calls too.
  expect((await merchant.call('POST', `/api/transactions/${transaction.id}/refund`)).status).toBe(202)
  const inCash = { ...opening, payment_method_types: ['cash'] }
  const cash = (await merchant.call('POST', sessions, inCash)).body
  const { voucher } = (await payInCash(stack.stack.hosted_url, cash.id)).body as any
  await staff.call('POST', `/api/sandbox/vouchers/${voucher.reference}/pay`)
  const logs = () => readFiles(join(stack.dir, 'logs'), () => true)
  // An attempt is logged once it is recorded, a moment after the receiver got it.
  await waitFor(async () => {
    const attempts = linesOf(await logs(), 'webhook attempt')
    const attempted = (event: string, of: { correlation_id: string }) =>
      attempts.some(line => line.event === event && line.correlation_id === of.correlation_id)
    const ofCash = ['payment.approved', 'checkout_session.completed'].every(event => attempted(event, cash))
    const ofCard = ['payment.refunded', 'checkout_session.completed'].every(event => attempted(event, session))
    const others = attempts.some(({ event }) => event === 'webhook.test') && attempts.some(({ attempt }) => attempt > 1)
    return ofCash && ofCard && others
  })
  await waitFor(() =>
    collector
      .spans()
      .some(span => span.attributes.correlation_id === session.correlation_id && span.service === 'audit-log'),
  )

  const sentOutside = {
    ...(await logs()),
    ...(await readMetrics(stack)),
    spans: JSON.stringify(collector.spans()),
  }
  const mails = await waitFor(async () => {
    const written = await readMails(stack.dir)
    return Object.values(written).some(text => text.includes(`To: ${user.email}`)) && written
  })
  const places: Record<string, string> = {
    ...(await dumpTables(stack)),
    ...(await readFiles(stack.dir, name => !keepers.includes(name) && !name.endsWith('.eml'))),
    ...mails,
    ...sentOutside,
    events: JSON.stringify(tap.messages),
    commands: JSON.stringify(commandsSeen.messages),
    deadLetters: await readDeadLetters(stack),
    webhooks: JSON.stringify(receiver.received),
  }
  // Check the search itself first: it finds what must be there.
  expect(placesOf(places, transaction.id).length).toBeGreaterThan(5)
  expect(placesOf(places, pathToken)).toContain('webhooks.endpoints')
  const callers = [merchant, payer, clients.client, staff]
  expectLines(
    places,
    callers.flatMap(({ requestIds }) => requestIds),
  )
  expectAttempts(places, { session, cash, test: tested.headers.get('x-request-id') })

  const secrets: SecretText[] = [
    ['the card number', card],
    ['the spaced card number', spaced],
    ['the encrypted card', card_jwe],
    ...issued,
    // Not sent in wrong places above: nothing could recognize them there.
    ...Object.entries(factor),
    ...(await secretsOfStack()),
  ]
  expect(secrets.length).toBeGreaterThan(30)
  expect(secrets.map(([what, text]) => [what, placesOf(places, text)])).toEqual(secrets.map(([what]) => [what, []]))
  expect(placesOf(sentOutside, pathToken)).toEqual([])
  const others = Object.entries(places).flatMap(([place, text]) => (text.match(forbidden) ?? []).map(it => [place, it]))
  expect(others).toEqual([])
})

/** Sets up a second factor for a new user, and logs in with it. Returns the secrets of both. */
async function setUpFactor(staff: ApiClient): Promise<Record<string, string>> {
  const account = { email: 'codes@cobro.test', password: 'a password that only the canary has' }
  await staff.call('POST', '/api/users', { ...account, role: 'operator', merchants: 'all' })
  const user = await userClient(stack.stack.base_url, account)
  const { secret, uri } = (await user.call('POST', '/api/me/factor')).body.data
  const confirmed = await user.call('POST', '/api/me/factor/confirm', { code: await generate({ secret }) })
  const [code, unused] = confirmed.body.data.recovery_codes
  const { body } = await user.call('POST', '/api/auth/login', account)
  const login = await user.call('POST', '/api/auth/login/factor', { mfa_token: body.mfa_token, code })
  expect(login.status).toBe(200)
  return {
    'the secret of a second factor': secret,
    'the address of a second factor': uri,
    'a used recovery code': code,
    'a recovery code': unused,
    'a token of the first step of a login': body.mfa_token,
    'an access token of a second step': login.body.token,
  }
}

const placesOf = (places: Record<string, string>, secret: string) =>
  Object.keys(places).filter(place => containsSecret(places[place] ?? '', secret))

/** Returns the stack's configured and generated secrets, and the passwords of its servers. */
async function secretsOfStack(): Promise<SecretText[]> {
  const { api_key, operator, client, second } = stack.stack
  const { url, ...others } = databaseUrls(testSetting('TEST_POSTGRES_URL'), 'cobro')
  const roles = ['gateway', 'checkout', 'transactions', 'webhooks', 'audit', 'acquirer_sandbox'] as const
  const own = JSON.parse(await readFile(join(stack.dir, 'secrets.json'), 'utf8'))
  const addresses = [...roles.map(url), ...Object.values(others), stack.bus.url]
  return [
    ...secretTexts(own),
    ...secretTexts({ api_key, operator: operator.password, client: client.password }),
    ...secretTexts({ second: { api_key: second.api_key } }),
    ...passwordsOf(addresses),
  ]
}

/** Expects the gateway to log every call, and each service to log the calls that it received. */
function expectLines(places: Record<string, string>, requestIds: string[]): void {
  const calls = linesOf(places, 'call')
  expect(new Set(calls.map(({ service }) => service)).size).toBe(6)
  const atGateway = calls.filter(({ service }) => service === 'gateway')
  expect(atGateway.map(({ path }) => path)).toEqual(
    expect.arrayContaining([
      ...['/api/transactions/[card]', '/[card]', '/%/[card]', '/a/%ff/[card]'],
      ...['/api/transactions', '/api/webhooks/[secret]', '/%/api/webhooks/[secret]'],
    ]),
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

/** Expects webhook attempts to log the call behind them; only first attempts share its trace. */
function expectAttempts(places: Record<string, string>, made: { session: any; cash: any; test: string | null }): void {
  const calls = linesOf(places, 'call').filter(({ service }) => service === 'gateway')
  const attempts = linesOf(places, 'webhook attempt')
  const loggedEvents = (of: { correlation_id: string }) =>
    attempts.filter(({ correlation_id }) => correlation_id === of.correlation_id).map(({ event }) => event)
  expect(loggedEvents(made.session)).toEqual(expect.arrayContaining(['checkout_session.completed', 'payment.refunded']))
  expect(loggedEvents(made.cash)).toEqual(expect.arrayContaining(['checkout_session.completed']))
  expect(attempts.filter(({ event }) => event === 'webhook.test')).toMatchObject([{ request_id: made.test }])
  expect(attempts.some(({ attempt }) => attempt > 1)).toBe(true)
  // Acquirer notifications have no request id; the lifecycle shows what they belong to.
  const [ofRequests = [], ofNotices = []] = [true, false].map(has =>
    attempts.filter(({ request_id }) => Boolean(request_id) === has),
  )
  expect(new Set(ofNotices.map(({ event }) => event))).toEqual(
    new Set(['payment.refunded', 'payment.approved', 'checkout_session.completed']),
  )
  for (const { event, attempt, request_id, trace_id } of ofRequests) {
    const [call] = calls.filter(line => line.request_id === request_id)
    expect([event, attempt, call?.trace_id === trace_id]).toEqual([event, attempt, attempt === 1])
    expect(trace_id).toMatch(/^[\da-f]{32}$/)
  }
}

function linesOf(places: Record<string, string>, message: string): any[] {
  const logs = Object.entries(places).filter(([name]) => name.endsWith('.log'))
  expect(logs).toHaveLength(6)
  const lines = logs.flatMap(([, text]) => text.split('\n').filter(line => line.includes(`"msg":"${message}"`)))
  return lines.map(line => JSON.parse(line))
}
