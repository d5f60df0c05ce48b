import { randomBytes } from 'node:crypto'
import { openDatabase } from '@cobro/database'
import { createLogger, type KeyRing, reveal, secret } from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import { callerRecords } from '../src/callers/caller-records.ts'
import { entities, schema } from '../src/gateway-schema.ts'
import { parseIpRange } from '../src/network/ip-ranges.ts'
import {
  bearer,
  clients,
  type GatewayWorld,
  gatewayUnderTest,
  recordOf,
  send,
  start,
  token,
  withinASecond,
} from './gateway-world.ts'

let world: GatewayWorld
let second: Awaited<ReturnType<typeof start>>
const replicas: (typeof second)[] = []
let asClient: Record<string, string>
beforeAll(async () => {
  world = await gatewayUnderTest(config => ({ ...config, TRUSTED_PROXIES: [parseIpRange('127.0.0.0/8')] }))
  second = await replica()
  asClient = bearer((await world.login(clients[0])).token)
})
afterAll(async () => {
  for (const { stop } of replicas) await stop()
  await world.stop()
})

async function replica(change: Partial<GatewayWorld['config']> = {}) {
  const started = await start({ ...world.config, ...change, SPOOL_DIR: `${world.config.SPOOL_DIR}/${replicas.length}` })
  replicas.push(started)
  return started
}

const path = '/api/api-keys'
const create = async (body: object = {}, url = world.url) =>
  (await send(url, path, { headers: asClient, body: { name: 'shop', ...body } })).body
const change = (method: string, id: string, body?: unknown) =>
  send(world.url, `${path}/${id}`, { method, headers: asClient, body })
const from = (address: string) => ({ 'x-forwarded-for': address })
const use = (url: string, key: string, headers: Record<string, string> = {}) =>
  send(url, '/api/transactions', { headers: { ...token(key), ...headers } })
const bothUse = (key: string, headers?: Record<string, string>) =>
  [world.url, second.url].map(url => () => use(url, key, headers))
const onBoth = async (key: string, headers?: Record<string, string>) =>
  (await Promise.all(bothUse(key, headers).map(ask => ask()))).map(({ status }) => status)

describe('changes of API keys apply within a second on every replica', () => {
  test('a revoked API key is rejected within a second on every replica', async () => {
    const { id, key } = await create()
    expect(await onBoth(key)).toEqual([200, 200])
    expect((await change('DELETE', id)).status).toBe(200)
    await withinASecond(401, ...bothUse(key))
  })

  test('changed allowed_ips of an API key apply within a second on every replica', async () => {
    const { id, key } = await create()
    const shop = from('203.0.113.9')
    expect(await onBoth(key, shop)).toEqual([200, 200])
    await change('PUT', id, { allowed_ips: ['198.51.100.0/24'] })
    await withinASecond(401, ...bothUse(key, shop))
    await change('PUT', id, { allowed_ips: null })
    await withinASecond(200, ...bothUse(key, shop))
  })

  test('an API key is rejected after its expires_at', async () => {
    const { id, key } = await create({ expires_at: new Date(Date.now() + 3_600_000).toISOString() })
    expect(await onBoth(key)).toEqual([200, 200])
    await world.database.query('update gateway.api_keys set expires_at = now() where id = $1', [id])
    await withinASecond(401, ...bothUse(key))
  })
})

describe('an API key with allowed_ips', () => {
  let key: string
  beforeAll(async () => {
    key = (await create({ allowed_ips: ['203.0.113.0/24', '2001:db8::/32'] })).key
  })

  test.each([
    '203.0.113.9',
    '198.51.100.1, 203.0.113.9',
    '203.0.113.9, 127.0.0.5',
    '::ffff:203.0.113.9',
    '2001:db8::7',
  ])('accepts an API key from the allowed address %s', async address => {
    expect((await use(world.url, key, from(address))).status).toBe(200)
  })

  test.each(['198.51.100.1', '203.0.113.9, 198.51.100.1', '2001:db9::7', 'nonsense', ''])(
    'rejects an API key from the disallowed address %p like an invalid key',
    async address => {
      const answer = await use(world.url, key, from(address))
      expect([answer.status, answer.body]).toEqual([401, { error: 'unauthorized' }])
      const record = await recordOf(world, answer.requestId)
      expect([record.actor, record.merchant_id]).toEqual([{ type: 'payer', id: null }, null])
    },
  )

  test('ignores X-Forwarded-For for allowed_ips if no proxy is trusted', async () => {
    const direct = await replica({ TRUSTED_PROXIES: [] })
    expect((await use(direct.url, key, from('203.0.113.9'))).status).toBe(401)
  })

  test('does not update last_used_at of an API key that is rejected', async () => {
    const rejected = await create({ allowed_ips: ['203.0.113.7/32'] })
    const good = await create()
    expect([(await use(world.url, rejected.key)).status, (await use(world.url, good.key)).status]).toEqual([401, 200])
    const lastUse = async (id: string) => (await change('GET', id)).body.data.last_used_at
    await waitFor(async () => (await lastUse(good.id)) !== null)
    expect(await lastUse(rejected.id)).toBeNull()
  })
})

test('writes last_used_at of an API key at most once a minute across calls and replicas', async () => {
  const { id } = await create()
  const writes: Promise<{ affectedRows: number }>[] = []
  const db = openDatabase({ url: reveal(world.config.DATABASE_URL), schema, entities })
  const spied = {
    ...db,
    write: (work: never) => {
      const result = db.write(work)
      writes.push(result as Promise<never>)
      return result
    },
  }
  const deps = { db: spied as typeof db, peppers: world.config.API_KEY_PEPPERS, logger: createLogger('t', 'silent') }
  const recordTenTimes = async () => {
    writes.length = 0
    const replicas = [callerRecords(deps), callerRecords(deps), callerRecords(deps)]
    for (let i = 0; i < 10; i++) for (const records of replicas) records.recordKeyUse(id)
    const rows = (await Promise.all(writes)).map(({ affectedRows }) => affectedRows)
    return { statements: rows.length, rows: rows.reduce((sum, count) => sum + count, 0) }
  }
  const age = (by: string) =>
    world.database.query('update gateway.api_keys set last_used_at = now() - $2::interval where id = $1', [id, by])
  expect(await recordTenTimes()).toEqual({ statements: 3, rows: 1 })
  expect(await recordTenTimes()).toEqual({ statements: 3, rows: 0 })
  // On a busy machine the second that is left can pass.
  await waitFor(async () => {
    await age('59 seconds')
    return (await recordTenTimes()).rows === 0
  })
  await age('60 seconds')
  expect(await recordTenTimes()).toEqual({ statements: 3, rows: 1 })
  await db.close()
})

describe('a rotation of API key peppers', () => {
  const peppers = (ring: KeyRing) => ({ API_KEY_PEPPERS: ring })
  const next = { id: 'p2', bytes: secret(randomBytes(32)) }

  test('old API keys stay valid and new ones use the first pepper while both peppers are configured', async () => {
    const [pepper] = world.config.API_KEY_PEPPERS
    const old = await create()
    const changed = await replica(peppers([next, pepper]))
    const prepared = await replica(peppers([pepper, next]))
    const made = await create({}, changed.url)
    const rows = await world.database.query('select id, pepper_id from gateway.api_keys where id = any($1)', [
      [old.id, made.id],
    ])
    expect(Object.fromEntries(rows.map(({ id, pepper_id }) => [id, pepper_id]))).toEqual({
      [old.id]: 'p1',
      [made.id]: 'p2',
    })
    for (const { url } of [changed, prepared]) {
      expect([(await use(url, old.key)).status, (await use(url, made.key)).status]).toEqual([200, 200])
    }
  })

  test('rejects API keys of a pepper that was removed', async () => {
    const old = await create()
    const without = await replica(peppers([next]))
    expect((await use(without.url, old.key)).status).toBe(401)
  })
})
