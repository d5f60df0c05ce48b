import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { reveal, secret } from '@cobro/runtime'
import { programEnv, waitFor } from '@cobro/testing'
import { Webhook } from 'standardwebhooks'
import { eventOf } from './dispatcher-service.ts'
import { encryptionKeysWorld, type Key, newKey, oldKey } from './encryption-keys-world.ts'

const { world, receiver, replicaWith, subscribedWith, stop } = await encryptionKeysWorld()
afterAll(stop)

async function command(name: string, env: Record<string, string>) {
  const args = ['--conditions=cobro-source', 'src/main.ts', name]
  const cwd = join(import.meta.dirname, '..')
  const child = spawn(process.execPath, args, { cwd, env: { ...programEnv(), ...env }, stdio: 'pipe' })
  let output = ''
  child.stdout.on('data', text => {
    output += text
  })
  const [code] = await once(child, 'close')
  // The log is JSON too. The report of the command is the line without a level.
  const lines = output
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
  return { code, report: lines.find(line => line.level === undefined), output }
}
const reseal = (...keys: Key[]) =>
  command('reseal-secrets', {
    DATABASE_URL: reveal(world.config.DATABASE_URL),
    ENCRYPTION_KEYS: keys.map(({ id, bytes }) => `${id}:${reveal(bytes).toString('base64')}`).join(','),
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

test('webhooks stay signed while an encryption key is added, reseal-secrets runs and the old key is removed', async () => {
  const { merchant, path, id, secret } = await subscribedWith(oldKey)
  const during = await replicaWith(newKey, oldKey)
  const rotated = (await during.call(merchant, 'POST', `/api/webhooks/${id}/rotate`)).body
  await subscribedWith(newKey, oldKey)
  expect(await keysInUse()).toEqual(['new', 'old'])
  expect(await reseal(newKey, oldKey)).toMatchObject({ code: 0, report: { resealed: 1, unreadable: [] } })
  expect(await keysInUse()).toEqual(['new'])
  expect((await reseal(newKey, oldKey)).report).toEqual({ resealed: 0, unreadable: [] })
  await during.stop()

  const after = await replicaWith(newKey)
  await world.publish(eventOf(merchant.merchant_id))
  const { headers, body: bytes } = await waitFor(() => receiver.at(path)[0])
  for (const one of [rotated.secret, secret]) {
    new Webhook(one).verify(bytes.toString(), headers as Record<string, string>)
  }
  await after.stop()
})

test('reseal-secrets encrypts more than one batch of secrets in one run', async () => {
  const { id } = await subscribedWith(oldKey)
  await world.db.read(em =>
    em.execute(
      `insert into webhooks.endpoints (id, merchant_id, url, events, status, secret, secret_masked, created_at, updated_at)
       select 'whk_copy' || i, merchant_id, url, events, status, secret, secret_masked, now(), now()
       from webhooks.endpoints, generate_series(1, 450) i where id = ?`,
      [id],
    ),
  )
  expect((await reseal(newKey, oldKey)).report).toEqual({ resealed: 451, unreadable: [] })
  expect(await keysInUse()).toEqual(['new'])
})

test('reseal-secrets fails, naming the endpoints whose secret no key decrypts, encrypts the others and prints no secret', async () => {
  const lost = await subscribedWith({ id: 'lost', bytes: secret(randomBytes(32)) })
  const kept = await subscribedWith(oldKey)
  const { code, report, output } = await reseal(newKey, oldKey)
  expect([code, report]).toEqual([1, { resealed: 1, unreadable: [lost.id] }])
  expect(await keysInUse()).toEqual(['lost', 'new'])
  for (const { secret } of [lost, kept]) expect(output).not.toContain(secret)
})

test('the command delete-old prints how many rows it deleted', async () => {
  const DATABASE_URL = reveal(world.config.DATABASE_URL)
  expect(await command('delete-old', { DATABASE_URL, WEBHOOK_RETENTION_MONTHS: '2' })).toMatchObject({
    code: 0,
    report: { deliveries: 0, events: 0, partitions: [] },
  })
  expect((await command('delete-old', { DATABASE_URL, WEBHOOK_RETENTION_MONTHS: '0' })).code).toBe(1)
})
