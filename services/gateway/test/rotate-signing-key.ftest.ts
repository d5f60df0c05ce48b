import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { openDatabase } from '@cobro/database'
import { type KeyRing, reveal, secret } from '@cobro/runtime'
import { programEnv, waitFor } from '@cobro/testing'
import { decodeProtectedHeader } from 'jose'
import { entities, schema } from '../src/gateway-schema.ts'
import { rotateSigningKey } from '../src/signing-keys/rotate-signing-key.ts'
import { pruneSigningKeys } from '../src/signing-keys/signing-key-rows.ts'
import { bearer, clients, type GatewayWorld, gatewayUnderTest, send, start, withinASecond } from './gateway-world.ts'

let world: GatewayWorld
const replicas: Awaited<ReturnType<typeof start>>[] = []
beforeAll(async () => {
  world = await gatewayUnderTest()
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

const keyRing = (keys: KeyRing) => keys.map(({ id, bytes }) => `${id}:${reveal(bytes).toString('base64')}`).join()

/** Runs a command of the service in a process and returns its output. */
async function run(command: string, encryptionKeys = world.config.ENCRYPTION_KEYS) {
  const child = spawn(process.execPath, ['--conditions=cobro-source', 'src/main.ts', command], {
    cwd: join(import.meta.dirname, '..'),
    env: {
      ...programEnv(),
      DATABASE_URL: reveal(world.config.DATABASE_URL),
      ENCRYPTION_KEYS: keyRing(encryptionKeys),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output = text(child.stdout)
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
  return JSON.parse(await output) as { kid: string; signs_from: string; begun: boolean }
}

const login = async (url = world.url) => (await send(url, '/api/auth/login', { body: clients[0] })).body
const use = (token: string, url = world.url) => send(url, '/api/transactions', { headers: bearer(token) })
const kidOf = (token: string) => decodeProtectedHeader(token).kid
const published = async (url = world.url) => {
  const { body } = await send(url, '/.well-known/jwks.json')
  return body.keys.map((key: { kid: string }) => key.kid)
}
const rows = () => world.database.query('select * from gateway.signing_keys order by signs_from')
/** Ages the signing keys in the database. */
const pass = (by: string) =>
  world.database.query(
    'update gateway.signing_keys set signs_from = signs_from - $1::interval, retired_at = retired_at - $1::interval',
    [by],
  )
/** Ages the signing keys until the newest has signed for `ago`, however slow the test is. */
const signsSince = (ago: string) =>
  world.database.query(
    `update gateway.signing_keys set signs_from = signs_from - age.by, retired_at = retired_at - age.by
     from (select max(signs_from) - now() + $1::interval as by from gateway.signing_keys) age`,
    [ago],
  )
const openDb = () => openDatabase({ url: reveal(world.config.DATABASE_URL), schema, entities })

test('a signing key rotation publishes the new key, switches to it, and deletes the old one after its last token expires', async () => {
  const { token: before } = await login()
  const old = kidOf(before)
  const { kid: next, signs_from, begun } = await run('rotate-signing-key')
  expect(begun).toBe(true)
  expect(Math.abs(Date.parse(signs_from) - Date.now() - 900_000)).toBeLessThan(60_000)
  const event = await waitFor(() => world.tap.messages.find(({ name }) => name === 'auth.signing_key_rotated'))
  expect(event).toMatchObject({ target_id: next, actor: { type: 'system' }, merchant_id: null })

  // Every verifier can load the new key before it signs the first token.
  await waitFor(async () => String(await published()) === String([next, old]))
  expect(kidOf((await login()).token)).toBe(old)

  await pass('15 minutes')
  const after = await waitFor(async () => {
    const { token } = await login()
    return kidOf(token) === next && token
  })
  expect(await published()).toEqual([next, old])
  expect([(await use(before)).status, (await use(after)).status]).toEqual([200, 200])

  await signsSince('59 minutes')
  const lastUse = await use(before)
  expect([lastUse.status, await published()]).toEqual([200, [next, old]])

  await pass('1 minute')
  await withinASecond(401, () => use(before))
  expect(await published()).toEqual([next])
  expect((await use(after)).status).toBe(200)
  const db = openDb()
  await pruneSigningKeys(db)
  await db.close()
  expect((await rows()).map(row => row.kid)).toEqual([next])
})

test('repeating a signing key rotation while one is in progress changes nothing', async () => {
  const db = openDb()
  const deps = { db, encryptionKeys: world.config.ENCRYPTION_KEYS }
  const before = (await rows()).length
  const changes = await Promise.all(Array.from({ length: 5 }, () => rotateSigningKey(deps)))
  expect(changes.filter(({ begun }) => begun)).toHaveLength(1)
  expect(new Set(changes.map(({ kid }) => kid)).size).toBe(1)
  expect(await rows()).toHaveLength(before + 1)
  await pass('15 minutes')
  expect((await rotateSigningKey(deps)).begun).toBe(true)
  await db.close()
})

test("replicas sign with the same key and accept each other's tokens during a signing key rotation", async () => {
  const urls = [world.url, (await replica()).url]
  const crossed = async () => {
    const tokens = await Promise.all(urls.map(async url => (await login(url)).token as string))
    const uses = await Promise.all(tokens.flatMap(token => urls.map(url => use(token, url))))
    expect(uses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    return tokens.map(kidOf)
  }
  await pass('15 minutes')
  const { kid } = await run('rotate-signing-key')
  for (const url of urls) await waitFor(async () => (await published(url)).includes(kid))
  expect(await crossed()).not.toContain(kid)
  await pass('15 minutes')
  await waitFor(async () => String(await crossed()) === String([kid, kid]))
})

test('signing keys are encrypted with the first encryption key and decrypted with any of them', async () => {
  const next = { id: 'e2', bytes: secret(randomBytes(32)) }
  const ring: KeyRing = [next, ...world.config.ENCRYPTION_KEYS]
  const changed = await replica({ ENCRYPTION_KEYS: ring })
  expect((await use((await login(changed.url)).token)).status).toBe(200)
  await pass('15 minutes')
  const { kid } = await run('rotate-signing-key', ring)
  await pass('15 minutes')
  const sealed = (await rows()).map(row => [row.kid, row.private_sealed.split('.')[0]])
  expect(Object.fromEntries(sealed)[kid]).toBe('e2')
  await waitFor(async () => kidOf((await login(changed.url)).token) === kid)
})

test('replacing leaked signing keys invalidates their tokens within a second and keeps logins', async () => {
  await world.database.query('delete from gateway.signing_keys')
  const { token, refresh_token } = await waitFor(async () => {
    const found = await login()
    return (await rows()).some(row => row.kid === kidOf(found.token)) && found
  })
  const { kid } = await run('replace-signing-keys')
  await withinASecond(401, () => use(token))
  expect(await published()).toEqual([kid])
  const renewed = await send(world.url, '/api/auth/refresh', { body: { refresh_token } })
  expect([renewed.status, kidOf(renewed.body.token)]).toEqual([200, kid])
  expect((await use(renewed.body.token)).status).toBe(200)
})

test('the key set states how long it may be cached', async () => {
  const { headers } = await send(world.url, '/.well-known/jwks.json')
  expect(headers.get('cache-control')).toBe('public, max-age=300')
})
