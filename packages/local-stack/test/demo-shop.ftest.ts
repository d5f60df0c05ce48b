import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { DemoHistory } from '@cobro/contracts/demo'
import { fulfillingPayments, paidPayables, unfulfilled, unpaid, unposted } from '@cobro/contracts/sql'
import { dropDatabase, withClient } from '../src/database/prepare-database.ts'
import { demoShopStatus, readDemoShop, writeDemoShop } from '../src/demo-shop/demo-shop-file.ts'
import { loadDemoShop } from '../src/demo-shop/load-demo-shop.ts'
import type { StackServiceName } from '../src/layout/stack-layout.ts'
import { deleteLogins } from '../src/servers/broker-logins.ts'
import { writeComposeSettings, writeServerPasswords } from '../src/services/compose-files.ts'
import { feedServiceCommand } from '../src/services/feed-service-command.ts'
import { runServiceCommand, type ServiceProgram } from '../src/services/service-program.ts'

const {
  TEST_POSTGRES_URL: adminUrl = '',
  TEST_AMQP_URL: amqpUrl = '',
  TEST_RABBITMQ_API_URL: apiUrl = '',
} = process.env
const database = `test_${randomBytes(8).toString('hex')}`
const namespace = `test-${randomBytes(8).toString('hex')}`

let folder: string
let dir: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cobro-demo-shop-'))
  dir = join(folder, 'secrets')
  const volumes =
    'migrations,demonstration,ops,gateway,checkout,transactions,webhooks-dispatcher,audit-log,acquirer-sandbox'
  for (const name of [...volumes.split(','), 'secrets', 'postgres-password', 'rabbitmq-password'])
    await mkdir(join(folder, name))
  await writeServerPasswords(folder)
  const servers = { adminUrl, database, broker: { amqpUrl, apiUrl }, namespace }
  await writeComposeSettings(folder, () => servers, 'http://localhost:4000')
  for (const name of ['gateway', 'acquirer-sandbox', 'transactions', 'checkout'] as const)
    await runServiceCommand({ ...(await program(name)), env: await settingsOf('migrations') }, 'migrate')
})
afterAll(async () => {
  await dropDatabase(adminUrl, database)
  await deleteLogins(apiUrl, namespace)
  await rm(folder, { recursive: true, force: true })
})

const settingsOf = async (name: string) => {
  const settings = parseEnv(await readFile(join(folder, name, 'settings.env'), 'utf8')) as Record<string, string>
  return { PATH: process.env.PATH ?? '', ...settings }
}
const program = async (name: StackServiceName): Promise<ServiceProgram> => ({
  ...{ name, env: await settingsOf(name), logFile: join(folder, 'log'), url: '' },
})
const query = async <Row extends object>(sql: string): Promise<Row[]> => {
  const url = Object.assign(new URL(adminUrl), { pathname: `/${database}` }).href
  return withClient(url, async client => (await client.query(sql)).rows)
}
const count = async (table: string) => (await query<{ n: number }>(`select count(*)::integer as n from ${table}`))[0]?.n
const counted = [
  'transactions.transactions',
  'transactions.ledger_entries',
  'transactions.refunds',
  'transactions.disputes',
]
const tables = [
  ...[...counted, 'transactions.settlements', 'transactions.balance_snapshots', 'transactions.settlement_entries'],
  ...['checkout.checkout_sessions', 'checkout.payment_links', 'checkout.payment_attempts', 'acquirer_sandbox.charges'],
]
const counts = async () => Object.fromEntries(await Promise.all(tables.map(async table => [table, await count(table)])))

/** Loads the shop, and stops once a service has stored so many of its parts. Returns the history. */
async function load(until: { service: StackServiceName; loaded: number } | undefined): Promise<DemoHistory> {
  const stop = new AbortController()
  let history: DemoHistory | undefined
  await loadDemoShop({
    dir,
    hostedUrl: 'http://localhost:4000',
    run: async (service, command, input, onLine) => {
      if (command === 'load-demo') history = JSON.parse(input)
      const env = await settingsOf(service)
      const watch = (line: string) => {
        onLine(line)
        if (until?.service === service && line.startsWith(`{"loaded":${until.loaded},`)) stop.abort()
      }
      await feedServiceCommand(service, command, { env, input, onLine: watch, signal: stop.signal })
    },
    // No service runs here.
    payToday: async () => undefined,
  }).catch(error => {
    if (!stop.signal.aborted) throw error
  })
  if (!history) throw new Error('No service was given the history.')
  return history
}

const checkLedger = async () =>
  JSON.parse((await runServiceCommand(await program('transactions'), 'ledger-check')) || '{}')

test('an interrupted load continues, a repeated one changes nothing, and the ledger and checkout agree with it', async () => {
  await load({ service: 'transactions', loaded: 40 })
  expect(demoShopStatus(dir)).toMatch(/^demo data: [1-6]\d %$/)
  const begun = await counts()
  expect(begun['transactions.balance_snapshots']).toBeGreaterThan(38)
  expect(begun['checkout.checkout_sessions']).toBe(0)
  expect(await checkLedger()).toMatchObject({ ok: true })
  // The daily run closes the newest day while its payments are missing.
  await runServiceCommand(await program('transactions'), 'daily')
  await load({ service: 'checkout', loaded: 1_500 })

  const { orders } = await load(undefined)
  expect(demoShopStatus(dir)).toBe('demo data: loaded')
  expect(await checkLedger()).toMatchObject({ ok: true, first_fault: null })
  const loaded = await counts()
  const attempts = orders.flatMap(order => order.attempts).length
  const links = orders.filter(({ payable_id }) => payable_id.startsWith('pl')).length
  expect(loaded).toMatchObject({
    'transactions.transactions': attempts,
    'transactions.refunds': orders.filter(({ refund }) => refund).length,
    'transactions.disputes': orders.filter(({ dispute }) => dispute).length,
    'checkout.payment_attempts': attempts,
    'checkout.payment_links': links,
    'checkout.checkout_sessions': orders.length - links,
  })

  const shop = readDemoShop(dir)
  if (shop) writeDemoShop(dir, { ...shop, loaded: 0.5 })
  await load(undefined)
  await runServiceCommand(await program('transactions'), 'daily')
  expect(await counts()).toEqual(loaded)
}, 480_000)

test('reconciliation finds no difference in it', async () => {
  for (const payables of paidPayables) expect(await query(unpaid(payables))).toEqual([])
  expect(await query(unfulfilled(fulfillingPayments))).toEqual([])
  expect(await query(unposted('true'))).toEqual([])
})

test('it leaves nothing to ask the acquirer for, and publishes no event', async () => {
  const due = (table: string) => count(`${table} where next_check_at is not null`)
  expect([await due('transactions.transactions'), await due('transactions.refunds')]).toEqual([0, 0])
  expect(await count(`transactions.transactions where status = 'pending'`)).toBe(0)
  expect(
    await count(`checkout.payment_attempts where status in ('running', 'pending') or resolve_at is not null`),
  ).toBe(0)
  const events = `outbox where name not in ('balance_snapshot.created', 'settlement.created')`
  expect([await count(`transactions.${events}`), await count('checkout.outbox')]).toEqual([0, 0])
})

test('production refuses the command', async () => {
  const env = {
    COBRO_ENV: 'production',
    DATABASE_URL: 'postgres://cobro:a-long-password@db.test/cobro?sslmode=verify-full',
  }
  const refused = runServiceCommand({ ...(await program('transactions')), env }, 'load-demo', '{}')
  await expect(refused).rejects.toThrow('load-demo stores payments that never happened: not in production.')
})
