import { openDatabase } from '@cobro/database'
import { reveal } from '@cobro/runtime'
import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose'
import { pruneLoginRecords } from '../src/auth/login-failures.ts'
import { parseIpRange } from '../src/network/ip-ranges.ts'
import { type AdminWorld, adminWorld, password, userCalls } from './admin-calls.ts'
import { send } from './gateway-world.ts'

const maxPerDevice = 5
const maxPerAccountAndAddress = 5
const maxPerAccount = 20

let world: AdminWorld
beforeAll(async () => {
  world = await adminWorld(config => ({ ...config, TRUSTED_PROXIES: [parseIpRange('127.0.0.0/8')] }))
})
afterAll(() => world.stop())
beforeEach(() => world.database.query('delete from gateway.login_failures'))

const users = userCalls(() => world)
const post = (what: string, address: string, body: object) =>
  send(world.url, `/api/auth/${what}`, { headers: { 'x-forwarded-for': address }, body })
const login = (address: string, body: object) => post('login', address, body)
const statusesOf = async (attempts: Promise<{ status: number }>[]) =>
  (await Promise.all(attempts)).map(({ status }) => status)
const times = (count: number, status: number) => Array<number>(count).fill(status)

const home = '203.0.113.1'
const hotel = '203.0.113.2'
/** Addresses from which no one has logged in. */
const addresses = Array.from({ length: maxPerAccount }, (_, i) => `198.51.100.${i + 1}`)

/** A client that has logged in at home. */
async function owner() {
  const { id, account } = await world.makeUser({ role: 'client', merchant_id: world.azul.merchant_id })
  const { device_token, refresh_token } = (await login(home, account)).body
  return { id, account, device_token: device_token as string, refresh_token: refresh_token as string }
}
type Account = Awaited<ReturnType<typeof owner>>['account']

/** Guesses from many addresses until the account is blocked for unknown devices. */
async function block(account: Account): Promise<void> {
  const wrong = { ...account, password: 'wrong' }
  expect(await statusesOf(addresses.map(address => login(address, wrong)))).toEqual(times(maxPerAccount, 401))
  expect((await login(hotel, account)).status).toBe(429)
}

const passwordHash = async (id: string): Promise<string> => {
  const rows = await world.database.query('select password_hash from gateway.users where id = $1', [id])
  return String(rows[0]?.password_hash)
}
/** Signs a device token as the gateway does, with other claims. */
async function forge(id: string, { issued = 0, typ = 'device+jwt', key = '' }) {
  const seconds = Math.floor(Date.now() / 1000) + issued
  return new SignJWT({ sub: id, jti: 'forged', iat: seconds, exp: seconds + 90 * 86_400 })
    .setProtectedHeader({ alg: 'HS256', typ })
    .sign(new TextEncoder().encode(key || (await passwordHash(id))))
}

test('an owner with a device token logs in from a new address while others guess its password', async () => {
  const { account, device_token, refresh_token } = await owner()
  await block(account)
  const again = await login(hotel, { ...account, device_token })
  expect(again.status).toBe(200)
  expect(decodeJwt(again.body.device_token).exp).toBeGreaterThan(Date.now() / 1000 + 89 * 86_400)
  const elsewhere = addresses.slice(0, 3)
  const refreshed = (await post('refresh', home, { refresh_token })).body
  for (const [i, known] of [device_token, again.body.device_token, refreshed.device_token].entries()) {
    expect((await login(elsewhere[i] ?? '', { ...account, device_token: known })).status).toBe(200)
  }
})

test('an owner with a device token logs in where strangers have failed to', async () => {
  const { account, device_token } = await owner()
  for (let i = 0; i < maxPerAccount; i++) await login(hotel, { email: `guess-${i}@cobro.test`, password: 'wrong' })
  expect((await login(hotel, account)).status).toBe(429)
  expect((await login(hotel, { ...account, device_token })).status).toBe(200)
})

test('a stolen device token allows five guesses in fifteen minutes, also at the same time', async () => {
  const { account, device_token } = await owner()
  const other = (await login(home, account)).body.device_token
  await block(account)
  const stolen = { ...account, device_token, password: 'wrong' }
  const statuses = await statusesOf(addresses.map(address => login(address, stolen)))
  expect(statuses.sort()).toEqual([...times(maxPerDevice, 401), ...times(maxPerAccount - maxPerDevice, 429)])
  expect((await login(hotel, { ...account, device_token })).status).toBe(429)
  expect((await login(hotel, { ...account, device_token: other })).status).toBe(200)
  await world.database.query(
    "update gateway.login_failures set failed_at = now() - interval '15 minutes' where address like 'device %'",
  )
  expect((await login(addresses[0] ?? '', { ...account, device_token })).status).toBe(200)
})

test('an owner with a device token logs in beside others who guess its password at the same address', async () => {
  const { account, device_token } = await owner()
  const guess = () => login(home, { ...account, password: 'wrong' })
  for (let i = 0; i < maxPerAccountAndAddress; i++) expect((await guess()).status).toBe(401)
  expect((await login(home, account)).status).toBe(429)
  expect((await login(home, { ...account, device_token })).status).toBe(200)
  // The owner's success is no reason to give them five more.
  expect((await guess()).status).toBe(429)
})

test('a device with too many failures counts as unknown, and its failures count against no one else', async () => {
  const { account, device_token } = await owner()
  const wrong = { ...account, device_token, password: 'wrong' }
  for (let i = 0; i < maxPerDevice; i++) expect((await login(hotel, wrong)).status).toBe(401)
  const unknown = await statusesOf(addresses.slice(1).map(address => login(address, wrong)))
  expect(unknown).toEqual(times(maxPerAccount - 1, 401))
  expect((await login(hotel, account)).status).toBe(200)
})

test('a device token of another account is ignored', async () => {
  const [{ account }, stranger] = [await owner(), await owner()]
  await block(account)
  const { device_token } = stranger
  expect((await login(hotel, { ...account, device_token })).status).toBe(429)
  expect((await login(hotel, { ...account, device_token, password: 'wrong' })).status).toBe(429)
  // Nor can a stranger use up the device's own limit at another account.
  await world.database.query('delete from gateway.login_failures')
  for (let i = 0; i < maxPerDevice; i++) {
    await login(hotel, { email: 'unknown@cobro.test', password: 'wrong', device_token })
  }
  await block(stranger.account)
  expect((await login(hotel, { ...stranger.account, device_token })).status).toBe(200)
})

test('device tokens expire 90 days after they were issued', async () => {
  const { id, account } = await owner()
  await block(account)
  const late = { ...account, device_token: await forge(id, { issued: -90 * 86_400 - 1 }) }
  expect((await login(hotel, late)).status).toBe(429)
  const inTime = { ...account, device_token: await forge(id, { issued: -89 * 86_400 }) }
  expect((await login(hotel, inTime)).status).toBe(200)
})

test('ignores invalid device tokens, which change neither the answer nor the limits', async () => {
  const { id, account, device_token } = await owner()
  const claims = decodeJwt(device_token)
  const token = (await login(home, account)).body.token as string
  const invalid = [
    ...['', 'nonsense', '..', 'eyJ.eyJ.eyJ', token, `${device_token.slice(0, -4)}AAAA`, 'ñ', 'x'.repeat(1024)],
    await forge(id, { typ: 'JWT' }),
    await forge(id, { key: 'another key, which is long enough' }),
    new UnsecuredJWT(claims).encode(),
  ]
  for (const device_token of invalid) {
    expect((await login(home, { ...account, device_token })).status).toBe(200)
    const wrong = await login(hotel, { ...account, device_token, password: 'wrong' })
    expect([wrong.status, wrong.body]).toEqual([401, { error: 'unauthorized' }])
    await world.database.query('delete from gateway.login_failures')
  }
  await block(account)
  for (const device_token of invalid) expect((await login(hotel, { ...account, device_token })).status).toBe(429)
  expect((await login(hotel, { ...account, device_token: 'x'.repeat(1025) })).status).toBe(400)
})

test('a new password ends the device tokens of its user', async () => {
  const { id, account, device_token } = await owner()
  const { setup_token } = (await users.issueToken(id)).body
  const changed = { ...account, password: 'another long password' }
  const set = await post('password', home, { token: setup_token, password: changed.password })
  expect(Object.keys(set.body.data).sort()).toEqual(['email', 'id'])
  await block(changed)
  expect((await login(hotel, { ...changed, device_token })).status).toBe(429)
  const { device_token: next } = (await login(home, changed)).body
  expect((await login(hotel, { ...changed, device_token: next })).status).toBe(200)
})

test('deleting a user ends its device tokens, also for a new user with its e-mail address and password', async () => {
  const { id, account, device_token } = await owner()
  const hash = await passwordHash(id)
  await users.remove(id)
  expect((await login(hotel, { ...account, device_token })).status).toBe(401)
  const created = await users.create(users.client({ email: account.email, password }))
  await world.database.query('delete from gateway.login_failures')
  // Even an equal hash, which is never made twice, would not help.
  const { id: next } = created.body.data
  await world.database.query('update gateway.users set password_hash = $1 where id = $2', [hash, next])
  await block(account)
  expect((await login(hotel, { ...account, device_token })).status).toBe(429)
})

test('deletes the failures of devices after a day', async () => {
  const { account, device_token } = await owner()
  const stolen = { ...account, device_token, password: 'wrong' }
  for (let i = 0; i < 3; i++) await login(hotel, stolen)
  const failures = () => world.database.query('select address from gateway.login_failures')
  const db = openDatabase({ url: reveal(world.config.DATABASE_URL), schema: 'gateway', entities: [] })
  const age = (by: string) => world.database.query(`update gateway.login_failures set failed_at = now() - ${by}`)
  await age("interval '23 hours'")
  await pruneLoginRecords(db)
  const { jti } = decodeJwt(device_token)
  expect(await failures()).toEqual(Array(3).fill({ address: `device ${jti}` }))
  await age("interval '25 hours'")
  await pruneLoginRecords(db)
  await db.close()
  expect(await failures()).toEqual([])
})
