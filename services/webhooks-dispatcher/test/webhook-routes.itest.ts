import { newId, webhookCatalog } from '@cobro/contracts'
import { keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { rejectedUrls } from '@cobro/testing/rejected-urls'
import { dispatcherWorld, eventOf, startReplica, type World } from './dispatcher-service.ts'

let world: World
let service: Awaited<ReturnType<typeof startReplica>>

beforeAll(async () => {
  world = await dispatcherWorld({ WEBHOOKS_ALLOW_PRIVATE: false, WEBHOOK_RETRY_DELAYS_MS: [60_000] })
  service = await startReplica(world)
  await waitFor(() => world.connected())
})
afterAll(async () => {
  await service.stop()
  await world.stop()
})

/** A public address. These tests send nothing to it. */
const url = 'https://93.184.215.14:8443/hooks'
const input = { url, events: ['payment.approved', 'checkout_session.completed'] }
const created = async (merchant = keyCaller(), more: object = {}) => {
  const answer = await service.call(merchant, 'POST', '/api/webhooks', { ...input, ...more })
  expect(answer.status).toBe(201)
  return answer.body
}

test('creating a webhook returns its secret, and no other response does', async () => {
  const merchant = keyCaller()
  const endpoint = await created(merchant, { description: 'Pedidos' })
  expect(endpoint).toEqual({
    id: expect.stringMatching(/^whk_/),
    ...input,
    status: 'active',
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
  })
  const shown = (await service.call(merchant, 'GET', `/api/webhooks/${endpoint.id}`)).body
  expect(shown.data).toEqual({
    id: endpoint.id,
    merchant_id: merchant.merchant_id,
    ...input,
    status: 'active',
    disabled_reason: null,
    secret_masked: `whsec_…${endpoint.secret.slice(-4)}`,
    description: 'Pedidos',
    last_delivery_at: null,
    last_delivery_status: null,
    created_at: expect.stringMatching(/Z$/),
    updated_at: expect.stringMatching(/Z$/),
  })
  const list = (await service.call(merchant, 'GET', '/api/webhooks')).body
  expect(list).toEqual({ data: [shown.data], count: 1, limit: 50, offset: 0 })
  const stored = await world.db.read(em => em.execute('select * from webhooks.endpoints where id = ?', [endpoint.id]))
  expect(JSON.stringify([shown, list, stored, world.tap.messages])).not.toContain(endpoint.secret)
})

test('updating a webhook keeps fields that are not sent, and null clears the description', async () => {
  const merchant = keyCaller()
  const { id } = await created(merchant, { description: 'Pedidos' })
  const before = (await service.call(merchant, 'GET', `/api/webhooks/${id}`)).body.data
  const change = { events: ['*', '*'], description: null, status: 'disabled' }
  const answer = await service.call(merchant, 'PUT', `/api/webhooks/${id}`, change)
  const after = { ...before, events: ['*'], description: null, status: 'disabled', updated_at: expect.any(String) }
  expect([answer.status, answer.body.data]).toEqual([200, after])
  const moved = await service.call(merchant, 'PUT', `/api/webhooks/${id}`, { url: 'http://93.184.215.15/' })
  expect(moved.body.data).toMatchObject({ url: 'http://93.184.215.15/', status: 'disabled' })
})

test('a deleted webhook is a 404, and creating, updating and deleting it emit events', async () => {
  const merchant = keyCaller()
  const { id } = await created(merchant)
  await service.call(merchant, 'PUT', `/api/webhooks/${id}`, { description: 'x' })
  const answer = await service.call(merchant, 'DELETE', `/api/webhooks/${id}`)
  expect([answer.status, answer.body]).toEqual([200, { data: { id, deleted: true } }])
  for (const method of ['GET', 'DELETE'])
    expect((await service.call(merchant, method, `/api/webhooks/${id}`)).status).toBe(404)
  const published = () => world.tap.messages.filter(message => message.target_id === id)
  await waitFor(() => published().length === 3)
  expect(published().map(message => message.name)).toEqual([
    'webhook_endpoint.created',
    'webhook_endpoint.updated',
    'webhook_endpoint.deleted',
  ])
  expect(published()[0]).toMatchObject({ merchant_id: merchant.merchant_id, actor: { type: 'key', id: merchant.id } })
})

test('the webhook catalog lists all fourteen events with their descriptions and objects', async () => {
  const { status, body } = await service.call(keyCaller(), 'GET', '/api/webhooks/events')
  expect(status).toBe(200)
  expect(body.data.map((one: { event: string }) => one.event)).toEqual(Object.keys(webhookCatalog))
  expect(body.data).toHaveLength(14)
  expect(body.data).toContainEqual({ event: 'webhook.test', description: expect.any(String), object: 'webhook' })
})

test("another merchant's webhook or delivery is a 403, an unknown one a 404, and lists contain neither", async () => {
  const owner = keyCaller()
  const stranger = keyCaller()
  const { id } = await created(owner, { events: ['*'] })
  await world.publish(eventOf(owner.merchant_id))
  const delivery = await waitFor(async () => (await service.call(owner, 'GET', '/api/webhook-deliveries')).body.data[0])
  for (const [method, path] of [
    ['GET', `/api/webhooks/${id}`],
    ['PUT', `/api/webhooks/${id}`],
    ['DELETE', `/api/webhooks/${id}`],
    ['GET', `/api/webhook-deliveries/${delivery.id}`],
  ] as const) {
    const body = method === 'PUT' ? { url: 'https://10.0.0.1/' } : undefined
    for (const caller of [stranger, operatorCaller('all', stranger.merchant_id), operatorCaller([newId('mrc')])]) {
      const answer = await service.call(caller, method, path, body)
      // An operator must state a merchant to write anything.
      const unstated = method !== 'GET' && caller.kind === 'operator' && caller.merchant_id === undefined
      expect([method, path, answer.status]).toEqual([method, path, unstated ? 400 : 403])
    }
    const unknown = path.replace(/_[^_]+$/, newId('whk').slice(3))
    expect((await service.call(owner, method, unknown, method === 'PUT' ? {} : undefined)).status).toBe(404)
  }
  for (const path of ['/api/webhooks', '/api/webhook-deliveries']) {
    expect((await service.call(stranger, 'GET', path)).body).toMatchObject({ data: [], count: 0 })
    expect((await service.call(operatorCaller([owner.merchant_id]), 'GET', path)).body.count).toBe(1)
  }
})

test('webhook deliveries can be filtered and searched, and other filters are rejected', async () => {
  const merchant = keyCaller()
  const { id } = await created(merchant, { events: ['*'] })
  const events = [eventOf(merchant.merchant_id), eventOf(merchant.merchant_id, 'payment.declined')]
  for (const event of events) await world.publish(event)
  const list = (query: string) => service.call(merchant, 'GET', `/api/webhook-deliveries?${query}`)
  await waitFor(async () => (await list('')).body.count === 2)
  for (const query of [
    `event_id=${events[0]!.id}`,
    'event=payment.declined',
    `correlation_id=${events[1]!.correlation_id}&webhook_id=${id}`,
    'limit=1&order=status&dir=asc&event=payment.approved',
    `search=${events[0]!.id.slice(4)}`,
    'search=DECLINED',
  ]) {
    expect([query, (await list(query)).body.count]).toEqual([query, 1])
  }
  expect((await list('status=cancelled')).body.count).toBe(0)
  expect((await list('search=8443/hooks')).body.count).toBe(2)
  expect((await list('search=%25')).body.count).toBe(0)
  for (const query of ['status=lost', 'webhook_id=1', 'url=x', 'order=url']) {
    expect([query, (await list(query)).status]).toEqual([query, 400])
  }
})

test.each([
  ['an unknown field', { secret: 'whsec_mine' }, 'secret: unknown field'],
  ['a server-owned field', { merchant_id: newId('mrc') }, 'merchant_id: unknown field'],
  ['a number for the URL', { url: 5 }, 'url: expected string'],
  ['no URL', { url: null }, 'url: '],
  ['an empty URL', { url: '' }, 'url: '],
  ['a URL that is too long', { url: `https://example.com/${'x'.repeat(3_000)}` }, 'url: '],
  ['another scheme', { url: 'ftp://example.com/' }, 'url: expected an https or http URL'],
  ['credentials', { url: 'https://me:pass@example.com/' }, 'url: expected a URL without credentials'],
  ["another service's port", { url: 'https://example.com:5432/' }, 'url: port 5432 is not allowed'],
  ['a private address', { url: 'http://192.168.1.1/' }, 'url: expected a public address'],
  ['our own machine', { url: 'http://localhost:4001/' }, 'url: expected a public address'],
  ['a string instead of a list', { events: 'payment.approved' }, 'events: expected array'],
  ['no event', { events: [] }, 'events: '],
  [
    'an event that is not in the catalog',
    { events: ['payment.paid'] },
    'events.0: expected a name from the event catalog',
  ],
  ['an internal event', { events: ['http.request'] }, 'events.0: expected a name from the event catalog'],
  ['an event named like a property', { events: ['constructor'] }, 'events.0: expected a name from the event catalog'],
  ['a card number', { description: '4242 4242 4242 4242' }, 'card numbers are not accepted'],
  ['a description that is too long', { description: 'x'.repeat(251) }, 'description: too big'],
])('a webhook with %s is rejected with 400', async (_case, invalid, message) => {
  const merchant = keyCaller()
  const { id } = await created(merchant)
  const answers = [
    await service.call(merchant, 'POST', '/api/webhooks', { ...input, ...invalid }),
    await service.call(merchant, 'PUT', `/api/webhooks/${id}`, invalid),
  ]
  for (const { status, body } of answers) {
    expect([status, Object.keys(body)]).toEqual([400, ['error']])
    expect(body.error).toContain(message)
    expect(body.error).not.toMatch(/4242|pass/)
  }
})

test('URLs with private addresses are rejected when a webhook is created or updated', async () => {
  const merchant = keyCaller()
  const { id } = await created(merchant)
  for (const [what, rejected] of rejectedUrls) {
    for (const [method, path] of [
      ['POST', '/api/webhooks'],
      ['PUT', `/api/webhooks/${id}`],
    ] as const) {
      const { status, body } = await service.call(merchant, method, path, { ...input, url: rejected })
      expect([what, status, body]).toEqual([what, 400, { error: 'invalid_request: url: expected a public address' }])
    }
  }
  expect((await service.call(merchant, 'GET', '/api/webhooks')).body.data).toMatchObject([{ id, url }])
})

test('an unknown webhook status is rejected, and so is any status on creation', async () => {
  const merchant = keyCaller()
  const { id } = await created(merchant)
  expect((await service.call(merchant, 'PUT', `/api/webhooks/${id}`, { status: 'paused' })).status).toBe(400)
  expect((await service.call(merchant, 'POST', '/api/webhooks', { ...input, status: 'active' })).status).toBe(400)
})

test('creating a webhook with invalid JSON, a list or more than 256 KiB is rejected', async () => {
  const post = async (body: string) => (await service.call(keyCaller(), 'POST', '/api/webhooks', body)).status
  expect([await post('{"url":'), await post('[]'), await post(JSON.stringify({ url: 'x'.repeat(1_048_576) }))]).toEqual(
    [400, 400, 413],
  )
})

test('webhook routes answer 405 with the allowed methods, and 401 without an identity', async () => {
  const answer = await service.call(keyCaller(), 'DELETE', '/api/webhooks/events')
  expect([answer.status, answer.allow]).toEqual([405, 'GET'])
  expect((await service.call(keyCaller(), 'PATCH', '/api/webhooks', {})).allow).toBe('GET, POST')
  expect((await fetch(`${service.url}/api/webhooks`)).status).toBe(401)
  expect((await fetch(`${service.url}/health/ready`)).status).toBe(200)
})
