import { openDatabase, unseal } from '@cobro/database'
import { reveal } from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import { decodeJwt, decodeProtectedHeader, importJWK, type JWK, SignJWT } from 'jose'
import { entities, schema } from '../src/gateway-schema.ts'
import { useRefreshToken } from '../src/refresh-tokens/refresh-tokens.ts'
import { type AdminWorld, adminWorld, password } from './admin-calls.ts'
import { bearer, send, start, withinASecond } from './gateway-world.ts'

let world: AdminWorld
let second: Awaited<ReturnType<typeof start>>
beforeAll(async () => {
  world = await adminWorld()
  second = await start({ ...world.config, SPOOL_DIR: `${world.config.SPOOL_DIR}/second` })
})
afterAll(async () => {
  await second.stop()
  await world.stop()
})

const client = () => world.makeUser({ role: 'client', merchant_id: world.azul.merchant_id })
const use = (url: string, accessToken: string) => send(url, '/api/transactions', { headers: bearer(accessToken) })
const onBoth = (accessToken: string) => [world.url, second.url].map(url => () => use(url, accessToken))
const statuses = async (accessToken: string) =>
  (await Promise.all(onBoth(accessToken).map(ask => ask()))).map(({ status }) => status)
const post = (what: string, body: object) => send(world.url, `/api/auth/${what}`, { body })

test('the access tokens of a login end within a second of its logout, on every replica, and others do not', async () => {
  const { account, login } = await client()
  const other = await world.login(account)
  const { body: refreshed } = await post('refresh', { refresh_token: login.refresh_token })
  expect(await statuses(refreshed.token)).toEqual([200, 200])
  expect((await post('logout', { refresh_token: refreshed.refresh_token })).status).toBe(200)
  await withinASecond(401, ...onBoth(login.token), ...onBoth(refreshed.token))
  expect(await statuses(other.token)).toEqual([200, 200])
})

test('a new password ends the access tokens of all logins within a second', async () => {
  const { id, account, login } = await client()
  const other = await world.login(account)
  expect([await statuses(login.token), await statuses(other.token)]).toEqual([
    [200, 200],
    [200, 200],
  ])
  const { body } = await world.call(world.asOperator, 'POST', `/api/users/${id}/setup-token`)
  expect((await post('password', { token: body.setup_token, password: `${password} again` })).status).toBe(200)
  await withinASecond(401, ...onBoth(login.token), ...onBoth(other.token))
})

test('a refresh token that is used twice ends the access tokens of its login', async () => {
  const { login } = await client()
  const { body: thief } = await post('refresh', { refresh_token: login.refresh_token })
  expect(await statuses(thief.token)).toEqual([200, 200])
  expect((await post('refresh', { refresh_token: login.refresh_token })).status).toBe(401)
  await withinASecond(401, ...onBoth(login.token), ...onBoth(thief.token))
})

/** Ends a login while a refresh of it is in flight. Returns the refresh token that the refresh returned. */
async function endDuringRefresh(refresh_token: string, end: () => Promise<{ status: number }>): Promise<string> {
  const db = openDatabase({ url: reveal(world.config.DATABASE_URL), schema, entities })
  const waits = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  let tries = 0
  const { ending, used } = await db.write(async tx => {
    tries += 1
    const used = await useRefreshToken(tx, schema, refresh_token)
    const ending = end()
    await waitFor(async () => (await world.database.query(waits)).length > 0)
    return { ending, used }
  })
  expect((await ending).status).toBe(200)
  // Neither has waited for the other, which PostgreSQL would have ended after a second.
  expect(tries).toBe(1)
  await db.close()
  return used.kind === 'good' ? used.successor.token : used.kind
}

test('a logout and a new password also end what a refresh in flight returns', async () => {
  const { login } = await client()
  const { refresh_token } = login
  const first = await endDuringRefresh(refresh_token, () => post('logout', { refresh_token }))
  expect((await post('refresh', { refresh_token: first })).status).toBe(401)
  await withinASecond(401, ...onBoth(login.token))

  const other = await client()
  const reset = (await world.call(world.asOperator, 'POST', `/api/users/${other.id}/setup-token`)).body.setup_token
  const set = () => post('password', { token: reset, password: `${password} again` })
  const second = await endDuringRefresh(other.login.refresh_token, set)
  expect((await post('refresh', { refresh_token: second })).status).toBe(401)
  await withinASecond(401, ...onBoth(other.login.token))
})

test('an access token needs a login of its own user, unless the release before issued it', async () => {
  const [one, other] = [await client(), await client()]
  const [row] = await world.database.query('select private_sealed from gateway.signing_keys')
  const key: JWK = JSON.parse(unseal(world.config.ENCRYPTION_KEYS, row.private_sealed))
  const claims = decodeJwt(one.login.token)
  const header = decodeProtectedHeader(one.login.token) as { alg: string }
  const withLogin = async (sid: unknown) =>
    new SignJWT({ ...claims, sid }).setProtectedHeader(header).sign(await importJWK(key, 'EdDSA'))
  expect(await statuses(await withLogin(claims.sid))).toEqual([200, 200])
  for (const sid of [decodeJwt(other.login.token).sid, 'none', '', null, ['a']])
    expect([sid, await statuses(await withLogin(sid))]).toEqual([sid, [401, 401]])
  expect(await statuses(await withLogin(undefined))).toEqual([200, 200])
})
