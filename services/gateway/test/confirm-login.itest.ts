import { waitFor } from '@cobro/testing'
import { decodeJwt } from 'jose'
import { type AdminWorld, adminWorld, eventsOf, type Headers, password, userCalls } from './admin-calls.ts'
import { bearer, send, token } from './gateway-world.ts'

let world: AdminWorld
beforeAll(async () => {
  world = await adminWorld()
})
afterAll(() => world.stop())

const { refresh } = userCalls(() => world)
const confirm = (headers: Headers, body: object = { password }) =>
  world.call(headers, 'POST', '/api/auth/confirm', body)
const createKey = (headers: Headers) => world.call(headers, 'POST', '/api/api-keys', { name: 'shop' })

/** A user whose login was made six minutes ago. */
async function userOfOldLogin() {
  const user = await world.makeUser({ role: 'client', merchant_id: world.azul.merchant_id })
  await world.database.query(
    `update gateway.refresh_tokens set authenticated_at = now() - interval '6 minutes' where user_id = $1`,
    [user.id],
  )
  const { body } = await refresh(user.login.refresh_token)
  return { ...user, refresh_token: body.refresh_token as string, headers: bearer(body.token) as Headers }
}

const authTime = (jwt: string) => Number(decodeJwt(jwt).auth_time)

test('a token says when its user logged in, and goes on saying so after a refresh', async () => {
  const { login } = await world.makeUser({ role: 'client', merchant_id: world.azul.merchant_id })
  expect(Math.abs(authTime(login.token) - Date.now() / 1000)).toBeLessThan(60)
  await world.database.query(
    `update gateway.refresh_tokens set authenticated_at = authenticated_at - interval '1 hour'`,
  )
  expect(authTime((await refresh(login.refresh_token)).body.token)).toBe(authTime(login.token) - 3_600)
})

test('an old login reads and is asked to confirm before it makes a key; then it makes one', async () => {
  const user = await userOfOldLogin()
  expect((await world.call(user.headers, 'GET', '/api/api-keys')).status).toBe(200)
  const asked = await createKey(user.headers)
  expect([asked.status, asked.body.error]).toEqual([
    403,
    'confirmation_required: confirm the login at POST /api/auth/confirm and repeat the call',
  ])
  const { status, body } = await confirm(user.headers)
  expect([status, body]).toEqual([200, { token: expect.any(String), token_type: 'Bearer', expires_in: 900 }])
  expect((await createKey(bearer(body.token))).status).toBe(201)
  // The token before is as old as it was; the next one is not.
  expect((await createKey(user.headers)).status).toBe(403)
  expect(authTime((await refresh(user.refresh_token)).body.token)).toBe(authTime(body.token))
  await waitFor(() => eventsOf(world, user.id).some(({ name }) => name === 'auth.confirmed'))
})

test('a wrong password is a failed login, and ten of them block also the right one', async () => {
  const user = await userOfOldLogin()
  const wrong = () => confirm(user.headers, { password: 'not the password' })
  // Five of its device, which count for it alone, and five of the account at its address.
  for (let attempt = 0; attempt < 10; attempt++) expect((await wrong()).status).toBe(401)
  const blocked = await confirm(user.headers)
  expect([blocked.status, Number(blocked.headers.get('retry-after')) > 0]).toEqual([429, true])
  await waitFor(() => eventsOf(world, user.id).filter(({ name }) => name === 'auth.login_failed').length === 10)
})

test('neither an ended login nor an API key confirms anything', async () => {
  const user = await userOfOldLogin()
  await world.call({}, 'POST', '/api/auth/logout', { refresh_token: user.refresh_token })
  await waitFor(async () => (await confirm(user.headers)).status === 401)
  expect((await confirm(token(world.azul.key))).status).toBe(403)
  expect((await send(world.url, '/api/auth/confirm', { body: { password } })).status).toBe(401)
})

test('a login of the release before, which kept no time, is asked to confirm', async () => {
  const user = await world.makeUser({ role: 'client', merchant_id: world.azul.merchant_id })
  await world.database.query('update gateway.refresh_tokens set authenticated_at = default where user_id = $1', [
    user.id,
  ])
  const { body } = await refresh(user.login.refresh_token)
  expect((await createKey(bearer(body.token))).status).toBe(403)
})
