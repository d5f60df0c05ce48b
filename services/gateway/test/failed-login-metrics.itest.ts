import { freePort } from '@cobro/testing'
import { gatewayProcesses } from './gateway-processes.ts'
import { clients, type GatewayWorld, gatewayUnderTest, operator, send } from './gateway-world.ts'

const maxPerAccount = 20
const maxPerDay = 100

let world: GatewayWorld
let killAll: () => void
let url: string
let metricsUrl: string
beforeAll(async () => {
  world = await gatewayUnderTest()
  const processes = gatewayProcesses(world)
  killAll = processes.killAll
  const metricsPort = await freePort()
  metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`
  const settings = { TRUSTED_PROXIES: '127.0.0.0/8', OTEL_EXPORTER_PROMETHEUS_PORT: String(metricsPort) }
  url = (await processes.serve(settings)).url
})
afterAll(async () => {
  killAll()
  await world.stop()
})
beforeEach(() => world.database.query('delete from gateway.login_failures'))

const login = (address: string, account: object = operator) =>
  send(url, '/api/auth/login', { headers: { 'x-forwarded-for': address }, body: account })
const guess = (address: string, account: object = operator) => login(address, { ...account, password: 'wrong' })
const addresses = Array.from({ length: 2 * maxPerAccount }, (_, i) => `198.51.100.${i + 1}`)
const guessEverywhere = (account?: object) => Promise.all(addresses.map(address => guess(address, account)))

/** The series of the counter, each with all of its labels. */
async function series(): Promise<Map<string, number>> {
  const text = await (await fetch(metricsUrl)).text()
  const samples = text.matchAll(/^cobro_login_limits_reached_total\{(.*)\} (\d+)/gm)
  return new Map(Array.from(samples, ([, labels = '', value]) => [labels, Number(value)]))
}

/** Runs `work` and returns by how much each series has increased. Prometheus sees no increase of one that was absent before. */
async function increases(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await series()
  await work()
  const after = await series()
  return Object.fromEntries([...before].map(([labels, value]) => [labels, (after.get(labels) ?? 0) - value]))
}

const once15m = { 'window="15m"': 1, 'window="1d"': 0 }
const onceDay = { 'window="15m"': 0, 'window="1d"': 1 }
const none = { 'window="15m"': 0, 'window="1d"': 0 }

test('counts an account once when failed logins from many addresses reach its limit, without its name', async () => {
  expect(await increases(guessEverywhere)).toEqual(once15m)
  expect(await increases(guessEverywhere)).toEqual(none)
  await world.database.query("update gateway.login_failures set failed_at = failed_at - interval '15 minutes'")
  expect(await increases(guessEverywhere)).toEqual(once15m)
})

test('counts no account whose failed logins stay below its limit', async () => {
  const few = addresses.slice(1, maxPerAccount)
  expect(await increases(() => Promise.all(few.map(address => guess(address))))).toEqual(none)
  expect(await increases(() => login('203.0.113.1'))).toEqual(none)
})

test('does not count e-mail addresses that no user has', async () => {
  expect(await increases(() => guessEverywhere({ email: 'unknown@cobro.test' }))).toEqual(none)
})

/** Repeats the recorded failure `times` times, longer ago than the limits of failed logins look back. */
const repeatEarlier = (times: number) =>
  world.database.query(
    `insert into gateway.login_failures (account_hash, address, failed_at)
     select account_hash, address, now() - interval '20 minutes' from gateway.login_failures, generate_series(1, $1)`,
    [times],
  )

test.each([
  ['many addresses', {}],
  ['a stolen device token', { device_token: true }],
])(
  'counts an account whose failed logins with %s stay below the limit but reach a hundred in a day',
  async (_, how) => {
    const [account] = clients
    const { device_token } = 'device_token' in how ? (await login('203.0.113.1', account)).body : {}
    const one = () => guess('203.0.113.2', { ...account, device_token })
    await one()
    await repeatEarlier(maxPerDay - 2)
    expect(await increases(one)).toEqual(onceDay)
    await world.database.query("update gateway.login_failures set failed_at = failed_at - interval '1 day'")
    expect(await increases(one)).toEqual(none)
  },
)
