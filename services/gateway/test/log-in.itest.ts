import { newId } from '@cobro/contracts'
import { openDatabase } from '@cobro/database'
import { reveal } from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import {
  bearer,
  clients,
  type GatewayWorld,
  gatewayUnderTest,
  operator,
  recordOf,
  send,
  start,
} from './gateway-world.ts'

let world: GatewayWorld
beforeAll(async () => {
  world = await gatewayUnderTest()
})
afterAll(() => world.stop())

const login = (body: unknown) => send(world.url, '/api/auth/login', { body })
const refresh = (refresh_token: string) => send(world.url, '/api/auth/refresh', { body: { refresh_token } })
const logout = (refresh_token: string) => send(world.url, '/api/auth/logout', { body: { refresh_token } })
const authEvents = () => world.tap.messages.filter(({ name }) => name.startsWith('auth.'))
const forget = () => world.database.query('delete from gateway.login_failures')

describe('a login', () => {
  test("issues a client's access token that verifies against the published keys", async () => {
    const answer = await login(clients[0])
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 900,
      refresh_token: expect.any(String),
      device_token: expect.any(String),
      user: {
        id: expect.stringMatching(/^usr_/),
        email: clients[0].email,
        name: null,
        role: 'client',
        access: 'owner',
        merchant_id: world.azul.merchant_id,
        merchants: null,
      },
    })
    const keys = await send(world.url, '/.well-known/jwks.json')
    const { payload, protectedHeader } = await jwtVerify(answer.body.token, createLocalJWKSet(keys.body))
    expect(protectedHeader).toMatchObject({ alg: 'EdDSA', typ: 'at+jwt', kid: expect.any(String) })
    expect(payload).toEqual({
      iss: 'https://api.cobro.test',
      aud: 'cobro',
      sub: answer.body.user.id,
      role: 'client',
      access: 'owner',
      auth_time: expect.any(Number),
      merchant_id: world.azul.merchant_id,
      iat: expect.any(Number),
      nbf: payload.iat,
      exp: (payload.iat ?? 0) + 900,
      jti: expect.any(String),
      sid: expect.any(String),
    })
    expect(Object.keys(keys.body.keys[0]).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x'])
  })

  test("issues an operator's access token with its scope", async () => {
    const answer = await login(operator)
    expect(answer.body.user).toMatchObject({ role: 'operator', merchant_id: null, merchants: 'all' })
    expect(decodeJwt(answer.body.token)).toMatchObject({ role: 'operator', merchants: 'all' })
  })

  test('ignores case and surrounding blanks of the e-mail address at login', async () => {
    expect((await login({ ...operator, email: ` ${operator.email.toUpperCase()} ` })).status).toBe(200)
  })

  test('records successful and failed logins with their user', async () => {
    const { body, requestId } = await login(clients[1])
    const record = await recordOf(world, requestId)
    expect(record).toMatchObject({
      actor: { type: 'client', id: body.user.id },
      merchant_id: world.rojo.merchant_id,
    })
    const [event] = await waitFor(() => {
      const found = authEvents().filter(({ request_id }) => request_id === requestId)
      return found.length > 0 && found
    })
    expect(event).toMatchObject({
      name: 'auth.login',
      actor: { type: 'client', id: body.user.id },
      merchant_id: world.rojo.merchant_id,
      data: { id: body.user.id },
    })
    const failed = await login({ ...clients[1], password: 'wrong' })
    const failure = await waitFor(() => authEvents().find(({ request_id }) => request_id === failed.requestId))
    expect(failure).toMatchObject({ name: 'auth.login_failed', data: { id: body.user.id }, actor: { type: 'payer' } })
  })

  test.each([
    ['a wrong password', { ...operator, password: 'wrong' }],
    ['an unknown e-mail', { ...operator, email: 'unknown@cobro.test' }],
  ])('answers a login with %s with 401', async (_what, body) => {
    await forget()
    const answer = await login(body)
    expect([answer.status, answer.body]).toEqual([401, { error: 'unauthorized' }])
  })

  test.each([
    [{}],
    [[]],
    [{ email: operator.email }],
    [{ ...operator, password: '' }],
    [{ ...operator, extra: 1 }],
    [{ email: 5, password: 'x' }],
    ['{"email":'],
  ])('rejects a login with the body %j', async body => {
    const answer = await login(body)
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(/^invalid_request: /)])
  })

  test('stores no passwords and tokens in plain text', async () => {
    const { body } = await login(operator)
    await login({ ...operator, password: 'wrong', device_token: body.device_token })
    const tables = ['users', 'refresh_tokens', 'signing_keys', 'login_failures', 'known_addresses', 'outbox']
    const rows = await Promise.all(tables.map(table => world.database.query(`select t::text from gateway.${table} t`)))
    const dump = JSON.stringify(rows)
    const secrets = [operator.password, body.refresh_token, body.token, body.device_token, '"d":']
    for (const secret of secrets) expect(dump).not.toContain(secret)
    expect(dump).toContain('$argon2id$v=19$m=19456,t=2,p=1$')
  })
})

describe('failed logins', () => {
  beforeEach(forget)
  const wrong = (email: string) => login({ email, password: 'wrong' })

  test('blocks an account from an address after five failed logins, even with the right password', async () => {
    const burst = await Promise.all(Array.from({ length: 8 }, () => wrong(operator.email)))
    expect(burst.map(answer => answer.status).sort()).toEqual([401, 401, 401, 401, 401, 429, 429, 429])
    const answer = await login(operator)
    expect([answer.status, answer.body.error]).toEqual([429, 'rate_limited: too many failed logins'])
    const seconds = Number(answer.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(800)
    expect(seconds).toBeLessThanOrEqual(900)
    expect((await login(clients[0])).status).toBe(200)
  })

  test('does not block the account from other addresses', async () => {
    for (let i = 0; i < 5; i++) await wrong(operator.email)
    await world.database.query("update gateway.login_failures set address = '198.51.100.7'")
    expect((await login(operator)).status).toBe(200)
  })

  test('blocks an address after twenty failed logins to any accounts', async () => {
    await world.database.query('delete from gateway.known_addresses')
    for (let i = 0; i < 20; i++) expect((await wrong(`unknown-${i}@cobro.test`)).status).toBe(401)
    expect((await wrong('unknown-21@cobro.test')).status).toBe(429)
    expect((await login(operator)).status).toBe(429)
  })

  test('stops counting failed logins after fifteen minutes or a successful login', async () => {
    for (let i = 0; i < 5; i++) await wrong(operator.email)
    await world.database.query("update gateway.login_failures set failed_at = failed_at - interval '15 minutes'")
    expect((await login(operator)).status).toBe(200)
    for (let i = 0; i < 4; i++) await wrong(operator.email)
    expect((await login(operator)).status).toBe(200)
    for (let i = 0; i < 4; i++) expect((await wrong(operator.email)).status).toBe(401)
  })
})

describe('a refresh token', () => {
  test('a refresh token works once and returns a new pair of tokens', async () => {
    const first = (await login(clients[0])).body
    const second = await refresh(first.refresh_token)
    expect(second.status).toBe(200)
    expect(second.body).toMatchObject({ token_type: 'Bearer', user: first.user })
    expect(second.body.refresh_token).not.toBe(first.refresh_token)
    expect((await send(world.url, '/api/transactions', { headers: bearer(second.body.token) })).status).toBe(200)
  })

  test('reusing a refresh token ends the whole login', async () => {
    const first = (await login(clients[0])).body
    const other = (await login(clients[0])).body
    const second = (await refresh(first.refresh_token)).body
    const reused = await refresh(first.refresh_token)
    expect([reused.status, reused.body]).toEqual([401, { error: 'unauthorized' }])
    expect((await refresh(second.refresh_token)).status).toBe(401)
    expect((await refresh(other.refresh_token)).status).toBe(200)
    const event = await waitFor(() => authEvents().find(({ request_id }) => request_id === reused.requestId))
    expect(event).toMatchObject({ name: 'auth.refresh_reused', data: { id: first.user.id } })
  })

  test('a refresh token used twice concurrently returns at most one pair of tokens', async () => {
    const { refresh_token } = (await login(clients[0])).body
    const answers = await Promise.all([refresh(refresh_token), refresh(refresh_token), refresh(refresh_token)])
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 401, 401])
  })

  test('a refresh token is rejected after logout', async () => {
    const { refresh_token, user } = (await login(clients[0])).body
    const out = await logout(refresh_token)
    expect([out.status, out.body]).toEqual([200, { data: { logged_out: true } }])
    expect((await refresh(refresh_token)).status).toBe(401)
    expect((await logout(refresh_token)).status).toBe(200)
    const event = await waitFor(() => authEvents().find(({ request_id }) => request_id === out.requestId))
    expect(event).toMatchObject({ name: 'auth.logout', actor: { type: 'client', id: user.id }, data: { id: user.id } })
  })

  test.each(['nonsense', '4'.repeat(43)])('rejects the unknown refresh token %s with 401', async text => {
    expect((await refresh(text)).status).toBe(401)
  })

  test('a refresh token expires after thirty days', async () => {
    const { refresh_token } = (await login(clients[0])).body
    await world.database.query("update gateway.refresh_tokens set expires_at = now() - interval '1 second'")
    expect((await refresh(refresh_token)).status).toBe(401)
  })
})

test.each(['/api/auth/login', '/api/auth/refresh', '/api/auth/password'])(
  'rejects a body of more than 4 KiB at %s with 413',
  async path => {
    const body = (bytes: number) => JSON.stringify({ email: 'x'.repeat(bytes - '{"email":""}'.length) })
    const tooLarge = { error: 'payload_too_large: expected at most 4 KiB' }
    expect(await send(world.url, path, { body: body(4_097) })).toMatchObject({ status: 413, body: tooLarge })
    expect((await send(world.url, path, { body: body(4_096) })).status).toBe(400)
  },
)

test('a disabled user can neither log in nor refresh', async () => {
  const { refresh_token } = (await login(clients[1])).body
  await world.database.query("update gateway.users set status = 'disabled' where email = $1", [clients[1].email])
  expect((await login(clients[1])).status).toBe(401)
  expect((await refresh(refresh_token)).status).toBe(401)
})

describe('logins that run while their user changes', () => {
  const waitsForLock = async () => {
    const sql = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    return (await world.database.query(sql)).length > 0
  }
  test.each([
    ['gets another password', "update gateway.users set password_hash = 'other' where email = ?"],
    ['is disabled', "update gateway.users set status = 'disabled' where email = ?"],
    ['is deleted', 'delete from gateway.users where email = ?'],
  ])('rejects a login whose user %s meanwhile', async (_what, change) => {
    const account = { email: 'passing@cobro.test', password: operator.password }
    await world.database.query(
      `insert into gateway.users (id, email, password_hash, role, merchants, status, created_at, updated_at)
       select $1, $2, password_hash, role, merchants, 'active', now(), now() from gateway.users where email = $3`,
      [newId('usr'), account.email, operator.email],
    )
    const db = openDatabase({ url: reveal(world.config.DATABASE_URL), schema: 'gateway', entities: [] })
    const running = await db.write(async tx => {
      await tx.execute('select 1 from gateway.users where email = ? for update', [account.email])
      const answer = login(account)
      await waitFor(waitsForLock)
      await tx.execute(change, [account.email])
      return { answer }
    })
    await db.close()
    const { status, body } = await running.answer
    expect([status, body]).toEqual([401, { error: 'unauthorized' }])
    await world.database.query('delete from gateway.users where email = $1', [account.email])
  })
})

test('replicas that start at the same time share one signing key', async () => {
  await world.database.query('delete from gateway.signing_keys')
  const replicas = await Promise.all(
    ['a', 'b', 'c'].map(name => start({ ...world.config, SPOOL_DIR: `${world.config.SPOOL_DIR}/${name}` })),
  )
  const answers = await Promise.all(replicas.map(({ url }) => send(url, '/api/auth/login', { body: operator })))
  const kids = answers.map(answer => decodeProtectedHeader(answer.body.token).kid)
  expect(new Set(kids).size).toBe(1)
  await Promise.all(replicas.map(replica => replica.stop()))
})
