import { execFile, spawn } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { busNames } from '@cobro/contracts/broker'
import { runServiceCli, type StackServiceName } from '@cobro/local-stack'
import { programEnv, type TestDatabase, testDatabase, testNamespace } from '@cobro/testing'
import { connect } from 'amqplib'

const bus = testNamespace()
let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
  const { namespace: AMQP_NAMESPACE } = bus
  const AMQP_URL = await bus.login('migrate')
  const env = { DATABASE_URL: 'unused', MIGRATION_DATABASE_URL: database.migratorUrl, AMQP_URL, AMQP_NAMESPACE }
  Object.assign(process.env, env)
  const services = ['gateway', 'checkout', 'transactions', 'webhooks-dispatcher', 'audit-log'] as const
  expect(await Promise.all(services.map(service => runServiceCli(service, ['migrate'])))).toEqual([0, 0, 0, 0, 0])
})
afterAll(async () => {
  await bus.cleanup()
  await database.drop()
})

function withOptions(url: string, options: string): string {
  const changed = new URL(url)
  changed.searchParams.set('options', options)
  return changed.href
}

/** Runs a command as an operator does. `settings` are a service's, for that service's command. */
async function ops(line?: string, settings: Record<string, string> = {}) {
  return promisify(execFile)(process.execPath, programWith(line), { env: await envWith(settings) }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}
const programWith = (line?: string) => [
  ...['--conditions=cobro-source', join(import.meta.dirname, '..', 'src', 'main.ts')],
  ...(line?.split(' ') ?? []),
]
async function envWith(settings: Record<string, string>) {
  return {
    ...programEnv(),
    AMQP_URL: await bus.login('ops'),
    AMQP_NAMESPACE: bus.namespace,
    // Only the rights of the on-call engineer.
    POSTGRES_URL: withOptions(database.adminUrl, '-c role=cobro_operator'),
    ...settings,
  }
}
const as = (service: StackServiceName, schema: 'gateway' | 'transactions' | 'audit', more = {}) =>
  [service, { DATABASE_URL: database.url(schema), ...more }] as const

test('prints the usage for --help and for invalid arguments', async () => {
  const [help, mistyped, ofCommand, incomplete, nothing, elsewhere] = await Promise.all([
    ops('--help'),
    ops('dead list'),
    // A service's command would exit with 1 here, because its settings are missing.
    ops('keys rotate --help'),
    ops('refund transferred'),
    ops(),
    ops('dead-letters list', { AMQP_NAMESPACE: 'nowhere' }),
  ])
  expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('dead-letters requeue')])
  expect(mistyped).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('Unknown command: dead list.'),
  })
  expect(mistyped.stderr).toContain('Usage: ')
  expect(ofCommand).toEqual({ code: 0, stdout: expect.stringContaining('keys rotate'), stderr: '' })
  expect(incomplete).toMatchObject({ code: 2, stdout: '' })
  expect(nothing).toEqual({ code: 2, stdout: help.stdout, stderr: '' })
  expect([elsewhere.code, elsewhere.stdout]).toEqual([1, ''])
  expect(elsewhere.stderr).toMatch(/^Error: .*no queue 'nowhere\.checkout\.events\.dead-letter'/)
})

test('lists dead letters and sends the named ones back to their queue', async () => {
  expect(await ops('dead-letters list')).toMatchObject({ code: 0, stdout: 'There are no dead letters.\n' })
  const { deadLetterExchange, queue } = busNames(bus.namespace)
  const model = await connect(bus.url)
  const channel = await model.createConfirmChannel()
  const occurred_at = '2026-01-01T00:00:00.000Z'
  const event = { id: 'evt_0', name: 'merchant.updated', occurred_at, merchant_id: null, target_id: null, data: {} }
  const traced = { ...event, correlation_id: 'corr_1', request_id: null, actor: { type: 'system', id: null } }
  channel.publish(deadLetterExchange, queue('transactions.commands'), Buffer.from(JSON.stringify(traced)), {
    ...{ messageId: 'evt_0', persistent: true, headers: { 'x-attempt': 5, 'x-reason': 'nor does it' } },
  })
  for (const messageId of ['evt_1', 'evt_2', 'evt_3'])
    channel.publish(deadLetterExchange, queue('checkout.events'), Buffer.from('{'), {
      ...{ messageId, persistent: true, headers: { 'x-attempt': 5, 'x-reason': 'it does not fit' } },
    })
  await channel.waitForConfirms()
  const list = await ops('dead-letters list checkout.events')
  expect(list.stdout.split('\n')[1]).toMatch(/^checkout\.events +evt_1 +\(unreadable\) +5 +it does not fit$/)

  const requeue = await ops('dead-letters requeue checkout.events evt_2 evt_9')
  expect(requeue).toEqual({
    code: 1,
    stdout: '1 sent back to checkout.events.\n',
    stderr: 'evt_9 is not a dead letter of checkout.events.\n',
  })
  const left = await ops('dead-letters list')
  expect(left.stdout).not.toContain('evt_2')
  const lines = left.stdout.replaceAll(/ +/g, ' ').split('\n')
  expect(lines[0]).toBe('queue message name occurred correlation_id tries reason')
  expect(lines).toContain(`transactions.commands evt_0 merchant.updated ${occurred_at} corr_1 5 nor does it`)
  expect(await ops('parked requeue checkout.events --all')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^2 /),
  })
  expect((await channel.checkQueue(queue('checkout.events'))).messageCount).toBe(3)
  await model.close()
})

test('sends no dead letter back that may be forged, and exits with 1', async () => {
  const { deadLetter } = busNames(bus.namespace)
  const model = await connect(bus.url)
  const channel = await model.createConfirmChannel()
  const headers = { 'x-reason': 'its name is not its routing key' }
  channel.publish('', deadLetter('transactions.events'), Buffer.from('{}'), { messageId: 'evt_6', headers })
  await channel.waitForConfirms()
  expect(await ops('dead-letters requeue transactions.events --all')).toEqual({
    code: 1,
    stdout: '0 sent back to transactions.events.\n',
    stderr: 'evt_6 is not sent back, since it may be forged: its name is not its routing key.\n',
  })
  expect(await ops('dead-letters discard transactions.events evt_6')).toMatchObject({ code: 0, stderr: '' })
  await model.close()
})

test('prints a discarded dead letter in full, deletes it, and keeps the others and those that it cannot print', async () => {
  const { deadLetter } = busNames(bus.namespace)
  const model = await connect(bus.url)
  const channel = await model.createConfirmChannel()
  for (const messageId of ['evt_4', 'evt_5'])
    channel.publish('', deadLetter('audit-log.events'), Buffer.from([0x7b, 0xff]), {
      ...{ messageId, persistent: true, headers: { 'x-reason': 'unreadable' } },
    })
  await channel.waitForConfirms()
  const discard = await ops('dead-letters discard audit-log.events evt_4 evt_9')
  expect([discard.code, discard.stderr]).toEqual([1, 'evt_9 is not a dead letter of audit-log.events.\n'])
  const printed = { queue: 'audit-log.events', id: 'evt_4', name: null, reason: 'unreadable', body_base64: 'e/8=' }
  expect(JSON.parse(discard.stdout)).toMatchObject(printed)
  const { stdout } = await ops('dead-letters list audit-log.events')
  expect([stdout.includes('evt_4'), stdout.includes('evt_5')]).toEqual([false, true])
  // A full disk, so that the message would be lost.
  const full = openSync('/dev/full', 'w')
  const unprinted = spawn(process.execPath, programWith('dead-letters discard audit-log.events evt_5'), {
    ...{ env: await envWith({}), stdio: ['ignore', full, 'ignore'] },
  })
  closeSync(full)
  expect(await once(unprinted, 'exit')).toEqual([1, null])
  expect((await ops('dead-letters list audit-log.events')).stdout).toContain('evt_5')
  expect(await ops('dead-letters discard audit-log.events evt_5')).toMatchObject({ code: 0, stderr: '' })
  await model.close()
})

test('resync merchants publishes every merchant, and outbox shows the unpublished messages', async () => {
  expect((await ops('outbox')).stdout).toBe('The outboxes of checkout, gateway, transactions, webhooks are empty.\n')
  await database.query(
    `insert into gateway.merchants (id, name, legal_name, country, currency, status, version, created_at, updated_at)
     select 'mrc_' || lpad(n::text, 26, '0'), 'M', 'M', 'MX', 'MXN', 'active', n, now(), now() from generate_series(1, 501) as n`,
  )
  const [, settings] = as('gateway', 'gateway')
  expect(await ops('resync merchants', settings)).toMatchObject({ code: 0, stdout: '{"merchants":501}\n' })
  expect((await ops('outbox')).stdout.split('\n')[1]).toMatch(/^gateway +merchant\.resynced +501 +\d+ s$/)
  const published = await database.query(
    `select convert_from(body, 'UTF8')::jsonb as message from gateway.outbox order by id`,
  )
  expect(published[500].message).toMatchObject({
    name: 'merchant.resynced',
    merchant_id: `mrc_${'501'.padStart(26, '0')}`,
    data: { name: 'M', status: 'active', version: 501 },
    actor: { type: 'system' },
  })
})

test('outbox fails for a database without outboxes and for one that it may not read', async () => {
  const elsewhere = new URL(database.adminUrl)
  elsewhere.pathname = '/postgres'
  const [without, denied] = await Promise.all([
    ops('outbox', { POSTGRES_URL: elsewhere.href }),
    ops('outbox', { POSTGRES_URL: database.url('gateway') }),
  ])
  expect(without).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: 'This database has no outbox: is it the right one?\n',
  })
  expect([denied.code, denied.stderr]).toEqual([1, expect.stringContaining('permission denied')])
})

test("a service's own command sets the exit code", async () => {
  const keys = `k1:${randomBytes(32).toString('base64')}`
  const [, gateway] = as('gateway', 'gateway', { ENCRYPTION_KEYS: keys })
  const [, transactions] = as('transactions', 'transactions')
  const [, audit] = as('audit-log', 'audit')
  const signingKey = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const [, signer] = as('audit-log', 'audit', { AUDIT_SIGNING_KEY: JSON.stringify(signingKey) })
  const [rotated, checked, unknown, verified, unwitnessed, unneeded] = await Promise.all([
    ops('keys rotate', gateway),
    ops('ledger check', transactions),
    ops('refund transferred rfd_none --by Ana', transactions),
    ops('audit verify', audit),
    ops('audit verify --checkpoint nowhere', audit),
    ops('audit accept-restore --reason none --checkpoint /dev/null', signer),
  ])
  expect(rotated).toMatchObject({ code: 0, stdout: expect.stringContaining('kid') })
  expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining('"ok":true') })
  expect(unknown).toMatchObject({ code: 1 })
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('"ok":true') })
  expect(unwitnessed).toMatchObject({ code: 1 })
  expect(unneeded).toMatchObject({ code: 1, stdout: expect.stringContaining('there is no restore to accept') })
})

test('exports and erases a payer, rejects what is no address, and names the service that failed', async () => {
  await database.query(
    `insert into transactions.transactions (id, merchant_id, type, correlation_id, rail, payment_method, status, amount_cents,
       currency, payer_email, customer_ref, created_at, updated_at)
     values ('txn_01jd0000000000000000000000', 'mrc_01jd0000000000000000000000', 'payment', 'corr_01jd0000000000000000000000',
       'online_cnp', 'card', 'approved', 100, 'MXN', 'Ana@Example.com', 'c-7', now(), now())`,
  )
  const settings = {
    CHECKOUT_DATABASE_URL: database.url('checkout'),
    TRANSACTIONS_DATABASE_URL: database.url('transactions'),
    WEBHOOKS_DATABASE_URL: database.url('webhooks'),
    GATEWAY_DATABASE_URL: database.url('gateway'),
  }
  const nothing = {
    ...{
      sessions: 0,
      links: 0,
      payment_attempts: 0,
      transactions: 0,
      disputes: 0,
      approvals: 0,
      webhook_events: 0,
      mails: 0,
      saved_views: 0,
    },
  }
  const none = { checkout: 0, transactions: 0, 'webhooks-dispatcher': 0, gateway: 0 }
  const exported = await ops('payer export ANA@example.com --by Berta', settings)
  expect([exported.code, exported.stderr]).toEqual([0, ''])
  expect(JSON.parse(exported.stdout)).toMatchObject({
    email: 'ana@example.com',
    exported_at: expect.stringMatching(/^20.*Z$/),
    ...{ sessions: [], links: [], payment_attempts: [], disputes: [], webhook_events: [], mails: [], saved_views: [] },
    transactions: [{ payer_email: 'Ana@Example.com', customer_ref: 'c-7' }],
  })
  const partly = await ops('payer erase ana@example.com', { CHECKOUT_DATABASE_URL: database.url('checkout') })
  expect([partly.code, partly.stdout]).toEqual([1, ''])
  expect(partly.stderr).toContain('set TRANSACTIONS_DATABASE_URL, WEBHOOKS_DATABASE_URL, GATEWAY_DATABASE_URL.')
  const wrong = { ...settings, WEBHOOKS_DATABASE_URL: database.url('gateway') }
  const failed = await ops('payer erase ana@example.com', wrong)
  expect([failed.code, failed.stdout]).toEqual([1, expect.not.stringContaining('complete')])
  expect(failed.stderr).toContain('permission denied')
  expect(failed.stderr).toContain('payer-erase of webhooks-dispatcher failed. Run the command again')
  const again = await ops('payer erase ana@example.com', settings)
  expect([again.code, JSON.parse(again.stdout)]).toEqual([
    ...[0, { complete: true, erased: nothing, waiting: none, unpublished: none }],
  ])
  const [row] = await database.query('select payer_email, customer_ref from transactions.transactions')
  expect(row).toEqual({ payer_email: null, customer_ref: null })
  const nameless = await ops('payer erase ana@example.com --by 4242424242424242', settings)
  expect([nameless.code, nameless.stdout + nameless.stderr]).toEqual([
    ...[2, expect.stringContaining('--by: expected the name of the person')],
  ])
  const bad = await ops('payer erase not-an-address', settings)
  expect([bad.code, bad.stdout, bad.stderr.split('\n')[0]]).toEqual([
    ...[2, '', 'Give the e-mail address of the payer: expected one such as ana@example.com.'],
  ])
})

test('audit verify resolves a relative file in the directory of the caller', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cobro-ops-'))
  try {
    await writeFile(join(folder, 'checkpoints.ndjson'), '')
    const [, audit] = as('audit-log', 'audit', { INIT_CWD: folder })
    expect(await ops('audit verify --checkpoint checkpoints.ndjson', audit)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`not covered: ${join(folder, 'checkpoints.ndjson')} holds no checkpoint`),
    })
  } finally {
    await rm(folder, { recursive: true })
  }
})

/** Makes the import of local-stack fail, as it does in the ops image. */
const withoutLauncher = `--import=data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  const gone = () => { throw Object.assign(new Error('gone'), { code: 'ERR_MODULE_NOT_FOUND' }) }
  registerHooks({ resolve: (name, context, next) => name === '@cobro/local-stack' ? gone() : next(name, context) })
`)}`

test('without local-stack, commands use the environment and name the image of a service command', async () => {
  const image = { NODE_OPTIONS: withoutLauncher }
  const [listed, withoutStack, elsewhere, ofPayer] = await Promise.all([
    ops('dead-letters list transactions.events', image),
    ops('outbox', { ...image, POSTGRES_URL: '' }),
    ops('ledger check', image),
    ops('payer erase ana@example.com', image),
  ])
  expect(listed).toMatchObject({ code: 0, stdout: 'There are no dead letters.\n' })
  expect(withoutStack).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: expect.stringMatching(/^No stack is running here: .*\n$/),
  })
  expect(elsewhere).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: 'This command is part of the transactions image: run that image with ledger-check.\n',
  })
  expect(ofPayer).toEqual({
    ...{ code: 1, stdout: '' },
    stderr:
      'This command is part of the images checkout, transactions, webhooks-dispatcher, gateway: run each of them with payer-erase.\n',
  })
})
