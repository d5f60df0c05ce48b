import { parseIpRange } from '../src/network/ip-ranges.ts'
import { clients, type GatewayWorld, gatewayUnderTest, operator, send } from './gateway-world.ts'

const maxPerAccountAndAddress = 5
const maxPerAddress = 20
const maxPerAccount = 20

let world: GatewayWorld
beforeAll(async () => {
  world = await gatewayUnderTest(config => ({ ...config, TRUSTED_PROXIES: [parseIpRange('127.0.0.0/8')] }))
})
afterAll(() => world.stop())
beforeEach(async () => {
  await world.database.query('delete from gateway.login_failures')
  await world.database.query('delete from gateway.known_addresses')
})

const post = (what: string, address: string, body: object) =>
  send(world.url, `/api/auth/${what}`, { headers: { 'x-forwarded-for': address }, body })
const login = (address: string, account: object = operator) => post('login', address, account)
const addresses = Array.from({ length: 2 * maxPerAccount }, (_, i) => `198.51.100.${i + 1}`)
/** Logs in with a wrong password once from each address, at the same time. Returns the statuses. */
const guess = async (from: string[]) => {
  const answers = await Promise.all(from.map(address => login(address, { ...operator, password: 'wrong' })))
  return answers.map(({ status }) => status)
}

test('an account takes twenty wrong passwords from all addresses together, also at the same time', async () => {
  const statuses = await guess(addresses)
  expect(statuses.filter(status => status === 401)).toHaveLength(maxPerAccount)
  expect(statuses.filter(status => status === 429)).toHaveLength(addresses.length - maxPerAccount)
  const right = await login('203.0.113.7')
  expect([right.status, right.body.error]).toEqual([429, 'rate_limited: too many failed logins'])
  expect((await login('203.0.113.7', clients[0])).status).toBe(200)
})

test('a thousand guesses from a hundred addresses within a window are judged twenty times, and the owner still gets in', async () => {
  const home = '203.0.113.1'
  const { device_token } = (await login(home)).body
  const bots = Array.from({ length: 100 }, (_, i) => `198.51.100.${i + 1}`)
  let judged = 0
  for (let round = 0; round < 10; round++) {
    judged += (await guess(bots)).filter(status => status === 401).length
    expect((await login(home)).status).toBe(200)
    expect((await login('203.0.113.9', { ...operator, device_token })).status).toBe(200)
  }
  expect(judged).toBe(maxPerAccount)
})

test('the owner of an account that others guess can log in where it logged in or refreshed a login before', async () => {
  const [home, office] = ['203.0.113.1', '203.0.113.2']
  const { refresh_token } = (await login(home)).body
  expect((await post('refresh', office, { refresh_token })).status).toBe(200)
  await guess(addresses)
  expect((await login('203.0.113.3')).status).toBe(429)
  expect((await login(home)).status).toBe(200)
  expect((await login(office)).status).toBe(200)
  await world.database.query("update gateway.known_addresses set seen_at = now() - interval '91 days'")
  expect((await login(home)).status).toBe(429)
})

test('failed logins of strangers do not block colleagues at the same address, but other accounts there', async () => {
  const office = '203.0.113.1'
  expect((await login(office)).status).toBe(200)
  const strangers = Array.from({ length: maxPerAddress }, (_, i) => ({ email: `guess-${i}@cobro.test`, password: 'x' }))
  for (const stranger of strangers) expect((await login(office, stranger)).status).toBe(401)
  expect((await login(office, { email: 'guess@cobro.test', password: 'x' })).status).toBe(429)
  expect((await login(office, clients[0])).status).toBe(429)
  expect((await login(office)).status).toBe(200)
  // An account that is known there still has its own limit.
  const wrong = { ...operator, password: 'wrong' }
  for (let i = 0; i < maxPerAccountAndAddress; i++) expect((await login(office, wrong)).status).toBe(401)
  expect((await login(office)).status).toBe(429)
  await world.database.query('delete from gateway.login_failures')
  for (const stranger of strangers) await login(office, stranger)
  await world.database.query("update gateway.known_addresses set seen_at = now() - interval '91 days'")
  expect((await login(office)).status).toBe(429)
})

test('an attempt that is rejected for another reason than its credential does not count as failed', async () => {
  const { user } = (await login('203.0.113.1', clients[0])).body
  const { token } = (await login('203.0.113.1')).body
  const headers = { authorization: `Bearer ${token}` }
  const { setup_token } = (
    await send(world.url, `/api/users/${user.id}/setup-token`, { headers, method: 'POST', body: {} })
  ).body
  const set = (password: string) => post('password', '203.0.113.1', { token: setup_token, password })
  for (let i = 0; i < 6; i++) expect((await set('qwerty123456')).status).toBe(400)
  expect((await set(clients[0].password)).status).toBe(200)
  expect(await world.database.query('select from gateway.login_failures')).toEqual([])
})
