import { waitFor } from '@cobro/testing'
import { type AdminWorld, adminWorld, newEmail, password } from './admin-calls.ts'
import { bearer, recordOf, send } from './gateway-world.ts'

let world: AdminWorld
beforeAll(async () => {
  world = await adminWorld()
})
afterAll(() => world.stop())
beforeEach(() => world.database.query('delete from gateway.login_failures'))

const setPassword = (token: unknown, to: unknown = password) =>
  send(world.url, '/api/auth/password', { body: { token, password: to } })
const login = (email: string, given = password) =>
  send(world.url, '/api/auth/login', { body: { email, password: given } })
const issueToken = async (id: string): Promise<string> => {
  const { body } = await world.call(world.asOperator, 'POST', `/api/users/${id}/setup-token`)
  return body.setup_token
}
const newcomer = async () => {
  const facts = { email: newEmail(), role: 'client', merchant_id: world.azul.merchant_id }
  const { data, setup_token } = (await world.call(world.asOperator, 'POST', '/api/users', facts)).body
  return { id: data.id as string, email: facts.email, setup_token: setup_token as string }
}
const rejected = { error: 'unauthorized' }

describe('a setup token', () => {
  test('a setup token sets the first password once', async () => {
    const { id, email, setup_token } = await newcomer()
    const answer = await setPassword(setup_token)
    expect([answer.status, answer.body]).toEqual([200, { data: { id, email } }])
    expect((await login(email)).body.user.id).toBe(id)
    const again = await setPassword(setup_token, 'another long password')
    expect([again.status, again.body]).toEqual([401, rejected])
    expect((await login(email)).status).toBe(200)
  })

  test('only one of several concurrent uses of a setup token succeeds', async () => {
    const { email, setup_token } = await newcomer()
    const passwords = Array.from({ length: 4 }, (_, i) => `a long password, number ${i}`)
    const answers = await Promise.all(passwords.map(one => setPassword(setup_token, one)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
    const winner = passwords[answers.findIndex(({ status }) => status === 200)]
    expect((await login(email, winner)).status).toBe(200)
  })

  test('an invalid password or body does not use up a setup token', async () => {
    const { setup_token } = await newcomer()
    for (const to of ['elevenchars', '', 'x'.repeat(1025), 5, null]) {
      const answer = await setPassword(setup_token, to)
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('password')])
    }
    expect((await setPassword(setup_token)).status).toBe(200)
  })

  test.each([
    ['qwerty123456', 'password: expected one that is not among the most common'],
    ['my ~email~ 2026', 'password: expected one without your e-mail address'],
  ])('rejects the weak password %s, which does not use up the setup token', async (weak, error) => {
    const { email, setup_token } = await newcomer()
    const answer = await setPassword(setup_token, weak.replace('~email~', email))
    expect([answer.status, answer.body.error]).toEqual([400, `invalid_request: ${error}`])
    expect((await setPassword(setup_token)).status).toBe(200)
  })

  test.each([
    ['made up', 'x'.repeat(43)],
    ['truncated', 'abc'],
    ['not ASCII', 'contraseña'],
  ])('rejects a setup token that is %s with the same 401', async (_what, token) => {
    const answer = await setPassword(token)
    expect([answer.status, answer.body]).toEqual([401, rejected])
  })

  test('a setup token expires after 72 hours', async () => {
    const { id, setup_token } = await newcomer()
    const [{ hours }] = await world.database.query(
      'select extract(epoch from setup_expires_at - created_at) / 3600 as hours from gateway.users where id = $1',
      [id],
    )
    expect(Number(hours)).toBeCloseTo(72, 1)
    const expire = "update gateway.users set setup_expires_at = now() - interval '1 second' where id = $1"
    await world.database.query(expire, [id])
    expect((await setPassword(setup_token)).body).toEqual(rejected)
  })

  test('a new setup token invalidates the one before it', async () => {
    const { id, setup_token } = await newcomer()
    const newest = await issueToken(id)
    expect([(await setPassword(setup_token)).status, (await setPassword(newest)).status]).toEqual([401, 200])
  })

  test('a setup token does not work while its user or merchant is disabled', async () => {
    const { id, email, setup_token } = await newcomer()
    const put = (path: string, status: string) => world.call(world.asOperator, 'PUT', path, { status })
    for (const path of [`/api/users/${id}`, `/api/merchants/${world.azul.merchant_id}`]) {
      await put(path, 'disabled')
      expect((await setPassword(setup_token)).body).toEqual(rejected)
      await put(path, 'active')
    }
    expect((await setPassword(setup_token)).status).toBe(200)
    expect((await login(email)).status).toBe(200)
  })

  test("changing a user's scope invalidates its setup token", async () => {
    const { merchant_id } = world.azul
    const [schemer, fellow] = [await world.makeOperator([merchant_id]), await world.makeOperator([merchant_id])]
    const path = `/api/users/${fellow.id}`
    const issued = await world.call(bearer(schemer.login.token), 'POST', `${path}/setup-token`)
    expect(issued.status).toBe(200)
    expect((await world.call(world.asOperator, 'PUT', path, { merchants: 'all' })).status).toBe(200)
    expect((await setPassword(issued.body.setup_token)).body).toEqual(rejected)
    const { refresh_token } = fellow.login
    expect((await send(world.url, '/api/auth/refresh', { body: { refresh_token } })).status).toBe(401)
  })

  test('deleting a user invalidates its setup token', async () => {
    const { id, setup_token } = await newcomer()
    await world.call(world.asOperator, 'DELETE', `/api/users/${id}`)
    expect((await setPassword(setup_token)).body).toEqual(rejected)
  })
})

describe('a forgotten password', () => {
  test('a new setup token replaces a forgotten password and ends all logins', async () => {
    const { id, account, login: before } = await world.makeUser({ role: 'client', merchant_id: world.azul.merchant_id })
    const token = await issueToken(id)
    expect((await login(account.email)).status).toBe(200)
    expect((await setPassword(token, 'a quite new password')).status).toBe(200)
    expect((await login(account.email)).status).toBe(401)
    expect((await login(account.email, 'a quite new password')).status).toBe(200)
    const refresh = await send(world.url, '/api/auth/refresh', { body: { refresh_token: before.refresh_token } })
    expect(refresh.status).toBe(401)
  })

  test('setting a password unblocks an account with too many failed logins', async () => {
    const { id, account } = await world.makeUser({ role: 'client', merchant_id: world.azul.merchant_id })
    for (let i = 0; i < 5; i++) await login(account.email, 'wrong')
    expect((await login(account.email)).status).toBe(429)
    await setPassword(await issueToken(id))
    expect((await login(account.email)).status).toBe(200)
  })
})

describe('failed uses of setup tokens', () => {
  test('blocks a setup token from an address after five failed attempts', async () => {
    const answers = []
    for (let i = 0; i < 6; i++) answers.push((await setPassword('x'.repeat(43))).status)
    expect(answers).toEqual([401, 401, 401, 401, 401, 429])
  })

  test('blocks an address after twenty failed attempts, logins included, even with a valid setup token', async () => {
    const { email, setup_token } = await newcomer()
    for (let i = 0; i < 10; i++) await login(`unknown-${i}@cobro.test`)
    const burst = await Promise.all(Array.from({ length: 12 }, (_, i) => setPassword(`guess ${i}`)))
    expect(burst.map(({ status }) => status).sort()).toEqual([...Array(10).fill(401), 429, 429])
    const late = await setPassword(setup_token)
    expect([late.status, late.body.error]).toEqual([429, expect.stringMatching(/^rate_limited/)])
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(800)
    expect((await login(email)).status).toBe(429)
  })
})

test('records who set a password and failed attempts, without tokens and passwords', async () => {
  const { id, setup_token } = await newcomer()
  const failed = await setPassword('guess')
  const done = await setPassword(setup_token)
  expect(await recordOf(world, done.requestId)).toMatchObject({
    actor: { type: 'client', id },
    merchant_id: world.azul.merchant_id,
  })
  const eventOf = (requestId: string) =>
    waitFor(() => world.tap.messages.find(one => one.request_id === requestId && one.name.startsWith('auth.')))
  expect(await eventOf(done.requestId)).toMatchObject({
    name: 'auth.password_set',
    merchant_id: world.azul.merchant_id,
    actor: { type: 'client', id },
    data: { id },
  })
  expect(await eventOf(failed.requestId)).toMatchObject({ name: 'auth.password_refused', data: { id: null } })
  const tables = ['users', 'login_failures', 'outbox', 'idempotency_keys']
  const rows = await Promise.all(tables.map(table => world.database.query(`select t::text from gateway.${table} t`)))
  const dump = JSON.stringify([rows, world.tap.messages])
  for (const secret of [setup_token, password, 'guess']) expect(dump).not.toContain(secret)
})
