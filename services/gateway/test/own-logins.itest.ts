import { waitFor } from '@cobro/testing'
import { type AdminWorld, adminWorld, eventsOf, type Headers, password, userCalls } from './admin-calls.ts'
import { bearer, withinASecond } from './gateway-world.ts'

let world: AdminWorld
beforeAll(async () => {
  world = await adminWorld()
})
afterAll(() => world.stop())

const { login, refresh } = userCalls(() => world)
const makeClient = () => world.makeUser({ role: 'client', merchant_id: world.azul.merchant_id })
const change = (headers: Headers, to: unknown) => world.call(headers, 'POST', '/api/me/password', { password: to })
const endOthers = (headers: Headers) => world.call(headers, 'POST', '/api/me/logins/end')
const me = (headers: Headers) => world.call(headers, 'GET', '/api/me')
const another = 'another long password'
const nameSeen = (id: string, name: string) => waitFor(() => eventsOf(world, id).some(event => event.name === name))

test('a user changes its password; its login goes on, and the others end', async () => {
  const { id, account, login: own, headers } = await makeClient()
  const { refresh_token: other, token } = (await login(account)).body
  const answer = await change(headers, another)
  expect([answer.status, answer.body]).toEqual([200, { data: { id, email: account.email } }])
  await withinASecond(401, () => me(bearer(token)))
  expect((await me(headers)).status).toBe(200)
  expect((await refresh(other)).status).toBe(401)
  expect((await refresh(own.refresh_token)).status).toBe(200)
  expect((await login(account)).status).toBe(401)
  expect((await login({ ...account, password: another })).status).toBe(200)
  await nameSeen(id, 'auth.password_set')
})

test('a token for a reset that is still open becomes invalid', async () => {
  const { id, account } = await makeClient()
  const { setup_token } = (await world.call(world.asOperator, 'POST', `/api/users/${id}/setup-token`)).body
  // The token has ended the logins before it.
  const { token } = (await login(account)).body
  expect((await change(bearer(token), another)).status).toBe(200)
  const used = await world.call({}, 'POST', '/api/auth/password', { token: setup_token, password })
  expect(used.status).toBe(401)
})

test.each([
  ['short', 'expected at least 12 characters'],
  ['qwerty123456', 'expected one that is not among the most common'],
])('the password %s is rejected, and the old one stays', async (weak, error) => {
  const { account, headers } = await makeClient()
  const answer = await change(headers, weak)
  expect([answer.status, answer.body.error]).toEqual([400, `invalid_request: password: ${error}`])
  expect((await login(account)).status).toBe(200)
})

test('an older login has to be confirmed before it changes the password', async () => {
  const { id, account, login: own } = await makeClient()
  await world.database.query(
    `update gateway.refresh_tokens set authenticated_at = now() - interval '6 minutes' where user_id = $1`,
    [id],
  )
  const older = bearer((await refresh(own.refresh_token)).body.token)
  const rejected = await change(older, another)
  expect([rejected.status, rejected.body.error]).toEqual([403, expect.stringContaining('confirmation_required')])
  const { token } = (await world.call(older, 'POST', '/api/auth/confirm', { password })).body
  expect((await change(bearer(token), another)).status).toBe(200)
  expect((await login(account)).status).toBe(401)
})

test('a user ends its other logins, and no one else’s', async () => {
  const { id, account, login: own, headers } = await makeClient()
  const others = [(await login(account)).body.refresh_token, (await login(account)).body.refresh_token]
  const stranger = await makeClient()
  const answer = await endOthers(headers)
  expect([answer.status, answer.body]).toEqual([200, { data: { ended: true } }])
  for (const other of others) expect((await refresh(other)).status).toBe(401)
  expect((await refresh(own.refresh_token)).status).toBe(200)
  expect((await refresh(stranger.login.refresh_token)).status).toBe(200)
  await nameSeen(id, 'auth.other_logins_ended')
})

test('of two logins that end each other at once, one stays, and the other changes nothing', async () => {
  const { account, login: one, headers } = await makeClient()
  const other = (await login(account)).body
  const answers = await Promise.all([change(headers, another), change(bearer(other.token), another)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
  const alive = [await refresh(one.refresh_token), await refresh(other.refresh_token)]
  expect(alive.map(({ status }) => status)).toEqual(answers.map(({ status }) => status))
})
