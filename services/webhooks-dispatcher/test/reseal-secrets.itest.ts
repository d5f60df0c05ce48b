import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { newId } from '@cobro/contracts'
import { keyCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { Webhook } from 'standardwebhooks'
import { dispatcherWorld, eventOf, startReplica, type World } from './dispatcher-service.ts'
import { startReceiver } from './webhook-receiver.ts'

const oldKey = { id: 'old', bytes: randomBytes(32) }
const newKey = { id: 'new', bytes: randomBytes(32) }
const lostKey = { id: 'lost', bytes: randomBytes(32) }

let world: World
let receiver: Awaited<ReturnType<typeof startReceiver>>
beforeAll(async () => {
  receiver = await startReceiver()
  world = await dispatcherWorld({ ENCRYPTION_KEYS: [oldKey] })
  await waitFor(() => world.connected())
})
afterAll(async () => {
  await world.stop()
  await receiver.stop()
})

/** A replica that knows these keys, the first of which seals. */
const replicaWith = (...keys: (typeof oldKey)[]) =>
  startReplica({ ...world, config: { ...world.config, ENCRYPTION_KEYS: keys } })

async function command(name: string, env: Record<string, string>) {
  const args = ['--conditions=cobro-source', 'src/main.ts', name]
  const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, ...env }, stdio: 'pipe' })
  let output = ''
  child.stdout.on('data', text => {
    output += text
  })
  const [code] = await once(child, 'close')
  // The log is JSON too: what the command reports is the line without a level.
  const lines = output
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
  return { code, report: lines.find(line => line.level === undefined), output }
}
const reseal = (...keys: (typeof oldKey)[]) =>
  command('reseal-secrets', {
    DATABASE_URL: world.config.DATABASE_URL,
    ENCRYPTION_KEYS: keys.map(({ id, bytes }) => `${id}:${bytes.toString('base64')}`).join(','),
  })
const keysInUse = async () =>
  (
    await world.db.read(em =>
      em.execute<{ key: string }[]>(
        `select distinct split_part(sealed, '.', 1) as key from webhooks.endpoints, unnest(array[secret, previous_secret]) sealed
         where sealed is not null order by 1`,
      ),
    )
  ).map(row => row.key)

test('a new key takes over: read by both, sealed anew by the command, the old one taken out, and signatures go on', async () => {
  const merchant = keyCaller()
  const path = `/${newId('req')}`
  const before = await replicaWith(oldKey)
  const { body } = await before.call(merchant, 'POST', '/api/webhooks', { url: receiver.url + path, events: ['*'] })
  await before.stop()

  const during = await replicaWith(newKey, oldKey)
  const rotated = (await during.call(merchant, 'POST', `/api/webhooks/${body.id}/rotate`)).body
  const other = await during.call(keyCaller(), 'POST', '/api/webhooks', { url: receiver.url, events: ['*'] })
  expect(other.status).toBe(201)
  expect(await keysInUse()).toEqual(['new', 'old'])
  expect(await reseal(newKey, oldKey)).toMatchObject({ code: 0, report: { resealed: 1, unreadable: [] } })
  expect(await keysInUse()).toEqual(['new'])
  expect((await reseal(newKey, oldKey)).report).toEqual({ resealed: 0, unreadable: [] })
  await during.stop()

  const after = await replicaWith(newKey)
  await world.publish(eventOf(merchant.merchant_id))
  const { headers, body: bytes } = await waitFor(() => receiver.at(path)[0])
  for (const secret of [rotated.secret, body.secret]) {
    new Webhook(secret).verify(bytes.toString(), headers as Record<string, string>)
  }
  await after.stop()
})

test('more than a batch is sealed anew in one run', async () => {
  const replica = await replicaWith(oldKey)
  const { body } = await replica.call(keyCaller(), 'POST', '/api/webhooks', { url: receiver.url, events: ['*'] })
  await replica.stop()
  await world.db.read(em =>
    em.execute(
      `insert into webhooks.endpoints (id, merchant_id, url, events, status, secret, secret_masked, created_at, updated_at)
       select 'whk_copy' || i, merchant_id, url, events, status, secret, secret_masked, now(), now()
       from webhooks.endpoints, generate_series(1, 450) i where id = ?`,
      [body.id],
    ),
  )
  expect((await reseal(newKey, oldKey)).report).toEqual({ resealed: 451, unreadable: [] })
  expect(await keysInUse()).toEqual(['new'])
})

test('what no key opens is named and left alone, the others are sealed, and the command fails; no secret is printed', async () => {
  const ids = []
  const secrets = []
  for (const key of [lostKey, oldKey]) {
    const replica = await replicaWith(key)
    const { body } = await replica.call(keyCaller(), 'POST', '/api/webhooks', { url: receiver.url, events: ['*'] })
    ids.push(body.id)
    secrets.push(body.secret)
    await replica.stop()
  }
  const { code, report, output } = await reseal(newKey, oldKey)
  expect([code, report]).toEqual([1, { resealed: 1, unreadable: [ids[0]] }])
  expect(await keysInUse()).toEqual(['lost', 'new'])
  for (const secret of secrets) expect(output).not.toContain(secret)
})

test('the command that deletes what is old reports what it deleted', async () => {
  const { DATABASE_URL } = world.config
  expect(await command('delete-old', { DATABASE_URL, WEBHOOK_RETENTION_MONTHS: '2' })).toMatchObject({
    code: 0,
    report: { deliveries: 0, events: 0, partitions: [] },
  })
  expect((await command('delete-old', { DATABASE_URL, WEBHOOK_RETENTION_MONTHS: '0' })).code).toBe(1)
})
