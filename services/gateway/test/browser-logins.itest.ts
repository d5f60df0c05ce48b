import { waitFor } from '@cobro/testing'
import { parseSetCookie, type SetCookie, stringifyCookie } from 'cookie'
import { generate } from 'otplib'
import { parseIpRange } from '../src/network/ip-ranges.ts'
import { type AdminWorld, adminWorld, eventsOf, password } from './admin-calls.ts'
import { type Answered, bearer, send, start, withinASecond } from './gateway-world.ts'

let world: AdminWorld
beforeAll(async () => {
  world = await adminWorld(config => ({ ...config, TRUSTED_PROXIES: [parseIpRange('127.0.0.0/8')] }))
})
afterAll(() => world.stop())

const [idleSeconds, maxSeconds] = [1_800, 43_200]
const [refreshCookie, deviceCookie] = ['__Host-cobro_refresh', '__Secure-cobro_device']
const ofDashboard = {
  origin: 'https://api.cobro.test',
  'sec-fetch-site': 'same-origin',
  'x-cobro-dashboard': '1',
  'content-type': 'application/json',
}
const operations = ['login', 'login/factor', 'refresh', 'logout']

type Cookies = Record<string, string>
interface Options {
  body?: object
  headers?: Cookies
  url?: string
}

/** Calls an operation of browsers as a page of the dashboard does, with the cookies that its browser keeps. */
async function post(what: string, cookies: Cookies = {}, { body = {}, headers = {}, url = world.url }: Options = {}) {
  const answer = await fetch(`${url}/api/auth/browser/${what}`, {
    method: 'POST',
    headers: { ...ofDashboard, cookie: stringifyCookie(cookies), ...headers },
    body: JSON.stringify(body),
  })
  const set = answer.headers.getSetCookie().map(text => parseSetCookie(text))
  const kept = Object.fromEntries(set.map(({ name, value }) => [name, value ?? '']))
  return {
    status: answer.status,
    headers: answer.headers,
    body: (await answer.json()) as Answered['body'],
    set,
    cookies: kept,
  }
}

const client = () => world.makeUser({ role: 'client', merchant_id: world.azul.merchant_id })
const logIn = (account: object) => post('login', {}, { body: account })
const me = (token: string) => send(world.url, '/api/me', { headers: bearer(token) })
const secondsUntil = (time: Date | string | undefined) => (new Date(time ?? 0).getTime() - Date.now()) / 1000
const find = (set: SetCookie[], name: string) => set.find(cookie => cookie.name === name)
/** Makes the tokens of a user older. */
const age = (id: string, seconds: number, ...columns: string[]) =>
  world.database.query(
    `update gateway.refresh_tokens set ${columns.map(name => `${name} = ${name} - $2::float8 * interval '1 second'`)}
     where user_id = $1`,
    [id, seconds],
  )

test('a login in a browser keeps its refresh token in a cookie that no script can read', async () => {
  const { id, account } = await client()
  const { status, body, set } = await logIn(account)
  expect([status, body.user.id, body.refresh_token, body.device_token]).toEqual([200, id, undefined, undefined])
  expect((await me(body.token)).status).toBe(200)
  const hidden = { httpOnly: true, secure: true, sameSite: 'strict' }
  expect(set).toEqual([
    expect.objectContaining({ name: refreshCookie, value: expect.stringMatching(/^vrt_/), path: '/', ...hidden }),
    expect.objectContaining({ name: deviceCookie, path: '/api/auth/browser', ...hidden }),
  ])
  expect(set.map(({ domain }) => domain)).toEqual([undefined, undefined])
  expect(body.idle_seconds).toBe(idleSeconds)
  expect([maxSeconds - 1, maxSeconds]).toContain(body.ends_in)
  expect(body.ends_at).toBeUndefined()
  expect(Math.abs(secondsUntil(find(set, refreshCookie)?.expires) - maxSeconds)).toBeLessThan(60)
})

test.each<[string, Cookies]>([
  ['another site', { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }],
  ['another origin of the same site', { origin: 'https://shop.cobro.test', 'sec-fetch-site': 'same-site' }],
  ['a page of no origin', { origin: 'null' }],
  ['the same host over http', { origin: 'http://api.cobro.test' }],
  ['a navigation', { 'sec-fetch-site': 'none' }],
  ['a form, without a header of its own', { 'x-cobro-dashboard': '' }],
])('a call of %s is refused, whatever cookies it has', async (_who, headers) => {
  const { id, account } = await client()
  const { cookies } = await logIn(account)
  for (const what of operations) {
    const body = what === 'login' ? account : what === 'login/factor' ? { mfa_token: 'none', code: '123456' } : {}
    const refused = await post(what, cookies, { body, headers })
    expect([what, refused.status, refused.set]).toEqual([what, 403, []])
  }
  expect((await post('refresh', cookies)).status).toBe(200)
  await world.database.query('delete from gateway.refresh_tokens where user_id = $1', [id])
})

test('a refresh without a cookie, and with a token of another kind of login, is a 401', async () => {
  const { account, login } = await client()
  expect((await post('refresh')).status).toBe(401)
  expect((await post('refresh', { [refreshCookie]: 'vrt_none' })).status).toBe(401)
  expect((await post('refresh', { [refreshCookie]: login.refresh_token })).status).toBe(401)
  const { cookies } = await logIn(account)
  const body = { refresh_token: cookies[refreshCookie] }
  expect((await send(world.url, '/api/auth/refresh', { body })).status).toBe(401)
  expect((await post('refresh', cookies)).status).toBe(200)
})

/** Waits for the end of a login that was reported as stolen. */
const reported = (id: string) => waitFor(() => eventsOf(world, id).some(({ name }) => name === 'auth.refresh_reused'))

describe('a used token of a browser', () => {
  test('gets the same successor again while that is unused, in however many tabs', async () => {
    const { id, account } = await client()
    let { cookies } = await logIn(account)
    for (let round = 0; round < 3; round++) {
      const tabs = await Promise.all(Array.from({ length: 4 }, () => post('refresh', cookies)))
      expect(tabs.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      expect(new Set(tabs.map(tab => tab.cookies[refreshCookie])).size).toBe(1)
      for (const { body } of tabs) expect((await me(body.token)).status).toBe(200)
      cookies = tabs[0]?.cookies ?? {}
    }
    const tokens =
      'select count(*)::int as count from gateway.refresh_tokens where user_id = $1 and ends_at is not null'
    expect(await world.database.query(tokens, [id])).toEqual([{ count: 4 }])
  })

  test('ends the login when its successor has been used', async () => {
    const { id, account } = await client()
    const { cookies } = await logIn(account)
    const next = await post('refresh', (await post('refresh', cookies)).cookies)
    expect((await post('refresh', cookies)).status).toBe(401)
    expect((await post('refresh', next.cookies)).status).toBe(401)
    await withinASecond(401, () => me(next.body.token))
    await reported(id)
  })

  test('ends the login after 30 seconds', async () => {
    const { id, account } = await client()
    const { cookies } = await logIn(account)
    const next = await post('refresh', cookies)
    await age(id, 31, 'used_at')
    expect((await post('refresh', cookies)).status).toBe(401)
    expect((await post('refresh', next.cookies)).status).toBe(401)
    await reported(id)
  })

  test('ends the login also when its owner was away for longer than a login lasts', async () => {
    const { id, account } = await client()
    const { cookies } = await logIn(account)
    const thief = await post('refresh', cookies)
    await age(id, idleSeconds, 'used_at')
    await world.database.query(
      'update gateway.refresh_tokens set expires_at = now() where user_id = $1 and used_at is not null',
      [id],
    )
    expect((await post('refresh', cookies)).status).toBe(401)
    expect((await post('refresh', thief.cookies)).status).toBe(401)
    await reported(id)
  })

  test('shares its successor with a thief, until the owner uses that one', async () => {
    const { id, account } = await client()
    const { cookies } = await logIn(account)
    const [owner, thief] = [await post('refresh', cookies), await post('refresh', cookies)]
    const later = await post('refresh', thief.cookies)
    await age(id, 31, 'used_at')
    expect((await post('refresh', owner.cookies)).status).toBe(401)
    expect((await post('refresh', later.cookies)).status).toBe(401)
    await reported(id)
  })
})

test('a logout at the same time as a refresh ends the login, whichever comes first', async () => {
  const { account } = await client()
  for (let round = 0; round < 5; round++) {
    const { cookies } = await logIn(account)
    const [refreshed, out] = await Promise.all([post('refresh', cookies), post('logout', cookies)])
    expect(out.status).toBe(200)
    expect((await post('refresh', refreshed.cookies)).status).toBe(401)
    if (refreshed.status === 200) await withinASecond(401, () => me(refreshed.body.token))
  }
})

test('a new login ends the one that the browser had, and no other', async () => {
  const { account } = await client()
  const [first, elsewhere] = [await logIn(account), await logIn(account)]
  const next = await post('login', first.cookies, { body: account })
  expect((await post('refresh', first.cookies)).status).toBe(401)
  await withinASecond(401, () => me(first.body.token))
  expect((await post('refresh', elsewhere.cookies)).status).toBe(200)
  expect((await post('refresh', next.cookies)).status).toBe(200)
})

test('a user who is disabled has no login in a browser', async () => {
  const { id, account } = await client()
  const { cookies, body } = await logIn(account)
  expect((await world.call(world.asOperator, 'PUT', `/api/users/${id}`, { status: 'disabled' })).status).toBe(200)
  expect((await post('refresh', cookies)).status).toBe(401)
  await withinASecond(401, () => me(body.token))
})

test('a login in a browser ends without a refresh for half an hour', async () => {
  const { id, account } = await client()
  const { cookies, body } = await logIn(account)
  await age(id, idleSeconds - 60, 'expires_at')
  const refreshed = await post('refresh', cookies)
  expect(refreshed.status).toBe(200)
  await age(id, idleSeconds, 'expires_at')
  expect((await post('refresh', refreshed.cookies)).status).toBe(401)
  expect((await me(body.token)).status).toBe(401)
})

test('a login in a browser ends after twelve hours, however often it is refreshed', async () => {
  const { id, account } = await client()
  const { cookies } = await logIn(account)
  await age(id, maxSeconds - 300, 'ends_at')
  // As the tokens of a login of that age would have it.
  await world.database.query(
    'update gateway.refresh_tokens set expires_at = least(expires_at, ends_at) where user_id = $1',
    [id],
  )
  const late = await post('refresh', cookies)
  expect(late.status).toBe(200)
  expect(Math.abs(late.body.ends_in - 300)).toBeLessThan(60)
  expect(secondsUntil(find(late.set, refreshCookie)?.expires)).toBeLessThan(301)
  await age(id, 301, 'expires_at')
  expect((await post('refresh', late.cookies)).status).toBe(401)
  expect((await me(late.body.token)).status).toBe(401)
})

test('a logout ends the login of the cookie, removes the cookie, and does nothing without one', async () => {
  const { id, account } = await client()
  const { cookies, body } = await logIn(account)
  const out = await post('logout', cookies)
  expect([out.status, out.headers.get('clear-site-data')]).toEqual([200, '"cache"'])
  expect(out.set).toEqual([expect.objectContaining({ name: refreshCookie, value: '', path: '/' })])
  expect(secondsUntil(find(out.set, refreshCookie)?.expires)).toBeLessThan(0)
  expect((await post('refresh', cookies)).status).toBe(401)
  await withinASecond(401, () => me(body.token))
  expect((await post('logout')).status).toBe(200)
  await waitFor(() => eventsOf(world, id).filter(({ name }) => name === 'auth.logout').length === 1)
})

test('a login in a browser asks for a second factor', async () => {
  const user = await client()
  const { secret } = (await world.call(user.headers, 'POST', '/api/me/factor')).body.data
  const code = await generate({ secret })
  expect((await world.call(user.headers, 'POST', '/api/me/factor/confirm', { code })).status).toBe(200)
  await world.database.query('update gateway.second_factors set last_step = 0 where user_id = $1', [user.id])
  const asked = await logIn(user.account)
  expect([asked.status, asked.body.error, asked.set]).toEqual([
    401,
    'mfa_required: continue at POST /api/auth/browser/login/factor',
    [],
  ])
  const withCode = (given: string) =>
    post('login/factor', {}, { body: { mfa_token: asked.body.mfa_token, code: given } })
  expect((await withCode('000000')).status).toBe(401)
  const { status, body, cookies } = await withCode(await generate({ secret }))
  expect([status, body.refresh_token, (await me(body.token)).status]).toEqual([200, undefined, 200])
  expect((await post('refresh', cookies)).status).toBe(200)
})

test('a browser that logged in before is not blocked by the guesses of others', async () => {
  const { account } = await client()
  const { cookies } = await logIn(account)
  const from = (address: string, cookiesThere: Cookies, body: object) =>
    post('login', cookiesThere, { body, headers: { 'x-forwarded-for': address } })
  for (let guess = 1; guess <= 20; guess++)
    expect((await from(`198.51.100.${guess}`, {}, { ...account, password: 'wrong' })).status).toBe(401)
  expect((await from('203.0.113.9', {}, account)).status).toBe(429)
  expect((await from('203.0.113.9', cookies, account)).status).toBe(200)
})

test('over plain http, cookies have no prefix, and browsers need not say which site they call from', async () => {
  const origin = 'http://127.0.0.1:4000'
  const plain = await start({ ...world.config, PUBLIC_URL: origin, SPOOL_DIR: `${world.config.SPOOL_DIR}/plain` })
  const { account } = await client()
  const { 'sec-fetch-site': _none, ...headers } = ofDashboard
  const answer = await fetch(`${plain.url}/api/auth/browser/login`, {
    method: 'POST',
    headers: { ...headers, origin },
    body: JSON.stringify({ ...account, password }),
  })
  const cookie = parseSetCookie(answer.headers.getSetCookie()[0] ?? '')
  expect([answer.status, cookie.name, cookie.secure, cookie.httpOnly]).toEqual([200, 'cobro_refresh', undefined, true])
  const crossSite = await post('refresh', {}, { url: plain.url, headers: { origin, 'sec-fetch-site': 'cross-site' } })
  expect(crossSite.status).toBe(403)
  await plain.stop()
})
