import { once } from 'node:events'
import { httpAcquirer } from '@cobro/acquirer'
import { migrate, openDatabase } from '@cobro/database'
import { secret } from '@cobro/runtime'
import { type TestDatabase, testDatabase, waitFor } from '@cobro/testing'
import { acquirerSandboxTables } from '../migrations/0001-acquirer-sandbox.ts'
import { migrations } from '../migrations/all-acquirer-sandbox.ts'
import {
  apiKey,
  encrypted,
  runSandbox,
  sandboxDatabase,
  settleSlowCharges,
  spawnSandbox,
  stopSandboxes,
  testPayment,
  tokenOf,
} from './running-sandbox.ts'

let database: TestDatabase

beforeEach(async () => {
  database = await sandboxDatabase()
})

afterEach(async () => {
  await stopSandboxes()
  await database.drop()
})

const money = { amount_cents: 25_000, currency: 'MXN' }

test('keeps the encryption key, tokens, charges and reversed keys over a restart', async () => {
  const before = await runSandbox(database)
  const key = await before.acquirer.encryptionKey()
  const jwe = await encrypted(key)
  const token = await tokenOf(before.acquirer, '4000000000009995')
  const outcome = await before.acquirer.charge({ key: 'pi_a:1', token, ...money })
  await before.acquirer.reverseCharge('pi_a:2')
  await before.stop()

  const after = await runSandbox(database)
  expect(await after.acquirer.encryptionKey()).toEqual(key)
  expect(await after.acquirer.tokenize(jwe, testPayment)).toMatchObject({ brand: 'visa', last4: '4242' })
  expect(await after.acquirer.findCharge('pi_a:1')).toEqual(outcome)
  expect(await after.acquirer.charge({ key: 'pi_a:1', token, ...money })).toEqual(outcome)
  expect(await after.acquirer.reverseCharge('pi_a:2')).toEqual({ status: 'reversed' })
  expect(await after.acquirer.charge({ key: 'pi_a:3', token, ...money })).toMatchObject({
    decline_reason: 'insufficient_funds',
  })
  await after.stop()
})

test('gives a card number the same fingerprint after a restart and in each replica, and another in another sandbox', async () => {
  const fingerprintOf = async ({ acquirer }: Awaited<ReturnType<typeof runSandbox>>) =>
    (await acquirer.tokenize(await encrypted(await acquirer.encryptionKey()), testPayment)).fingerprint
  const replicas = await Promise.all([runSandbox(database), runSandbox(database)])
  const [first, second] = await Promise.all(replicas.map(fingerprintOf))
  expect(second).toBe(first)
  for (const replica of replicas) await replica.stop()
  expect(await fingerprintOf(await runSandbox(database))).toBe(first)
  await database.query('delete from acquirer_sandbox.fingerprint_key')
  expect(await fingerprintOf(await runSandbox(database))).not.toBe(first)
})

test('stops without waiting for slow responses, and approves the charge nevertheless', async () => {
  const before = await runSandbox(database)
  const token = await tokenOf(before.acquirer, '4000000000000341')
  expect(await before.impatient.charge({ key: 'pi_b:1', token, ...money })).toMatchObject({ status: 'processing' })
  // The response is due in a day.
  await before.stop()

  const after = await runSandbox(database)
  await settleSlowCharges(database)
  expect(await after.acquirer.findCharge('pi_b:1')).toMatchObject({ status: 'approved' })
  await after.stop()
})

test('creates one key pair for two replicas, with which both decrypt cards', async () => {
  const [one, two] = await Promise.all([runSandbox(database), runSandbox(database)])
  const keys = await Promise.all([one.acquirer.encryptionKey(), two.acquirer.encryptionKey()])
  expect(keys[0]).toEqual(keys[1])
  const token = await tokenOf(one.acquirer, '4242424242424242')
  expect(await two.acquirer.charge({ key: 'pi_c:1', token, ...money })).toMatchObject({ status: 'approved' })
  await Promise.all([one.stop(), two.stop()])
})

test('stores no card number, no security code and no unsealed private key', async () => {
  const sandbox = await runSandbox(database)
  const number = '4539578763621486'
  await tokenOf(sandbox.acquirer, number, { cvc: '7391', holder_name: 'Canaria Amarilla' })
  await sandbox.stop()
  const db = openDatabase({ url: database.url('acquirer_sandbox'), schema: 'acquirer_sandbox', entities: [] })
  const dump = await db.read(async em =>
    JSON.stringify(
      await Promise.all(
        ['key_pairs', 'fingerprint_key', 'tokens', 'charges', 'refunds', 'vouchers', 'disputes', 'notifications'].map(
          table => em.execute(`select * from acquirer_sandbox.${table}`),
        ),
      ),
    ),
  )
  await db.close()
  expect(dump).toContain('1486')
  expect(dump).not.toMatch(/4539578763621486|453957|\b7391\b|Canaria|"d":/)
})

test('logs no card number, no security code and no API key', async () => {
  const child = spawnSandbox(database, { NOTIFICATION_URL: 'http://127.0.0.1:1/', LOG_LEVEL: 'trace' })
  let log = ''
  const note = (chunk: Buffer) => {
    log += chunk
  }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', note)
  const [, port] = await waitFor(() => /"port":(\d+)/.exec(log) ?? undefined)
  const url = `http://127.0.0.1:${port}`
  const acquirer = httpAcquirer({ url, apiKey: secret(apiKey), timeoutMs: 60_000, findDelaysMs: [0] })
  const number = '4539578763621486'
  const token = await tokenOf(acquirer, number, { cvc: '7391', holder_name: 'Canaria Amarilla' })
  await acquirer.charge({ key: 'pi_d:1', token, ...money })
  await acquirer.issueVoucher({ key: 'pi_d:2', ...money, due_at: new Date(), concept: number })
  await acquirer.charge({ key: 'pi_d:3', token: number, ...money })
  await acquirer.tokenize(JSON.stringify({ number }), testPayment).catch(() => undefined)
  await waitFor(() => log.includes('"pi_d:1"'))
  await acquirer.close()
  child.kill('SIGTERM')
  expect((await once(child, 'close'))[0]).toBe(0)
  expect(log).not.toMatch(/4539578763621486|453957|\b7391\b|Canaria/)
  expect(log).not.toContain(apiKey)
})

test('keeps using the encryption keys of the first release, and does not sign with them', async () => {
  const old = await testDatabase({ schemas: ['acquirer_sandbox'] })
  const step = { url: old.migratorUrl, schema: 'acquirer_sandbox' }
  await migrate({ ...step, migrations: [acquirerSandboxTables] })
  await old.query(`insert into acquirer_sandbox.encryption_keys (kid, public_jwk, private_jwk_sealed, created_at)
    values ('k0', '{"kty":"EC","kid":"k0","alg":"ECDH-ES","crv":"P-256","x":"eA","y":"eQ"}', 'k1.sealed', now())`)
  await migrate({ ...step, migrations })
  const sandbox = await runSandbox(old)
  expect(await sandbox.acquirer.encryptionKey()).toMatchObject({ kid: 'k0' })
  const response = await fetch(`${sandbox.url}/v1/notification-keys`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  expect(await response.json()).toEqual({ keys: [expect.objectContaining({ alg: 'EdDSA' })] })
  await sandbox.stop()
  await old.drop()
})
