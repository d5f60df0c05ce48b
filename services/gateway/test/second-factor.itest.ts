import { randomBytes } from 'node:crypto'
import type { Id } from '@cobro/contracts'
import { openDatabase } from '@cobro/database'
import { type KeyRing, reveal, secret as sealedWith } from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import { decodeJwt } from 'jose'
import { generate } from 'otplib'
import { entities, schema } from '../src/gateway-schema.ts'
import { useCode } from '../src/second-factor/check-code.ts'
import { sealFactors } from '../src/second-factor/seal-factors.ts'
import { type AdminWorld, adminWorld, eventsOf, type Headers, password, userCalls } from './admin-calls.ts'
import { bearer, operator, send, start, withinASecond } from './gateway-world.ts'

let world: AdminWorld
beforeAll(async () => {
  world = await adminWorld()
})
afterAll(() => world.stop())

const { login, refresh } = userCalls(() => world)
const open = (path: string, body: object) => send(world.url, `/api/auth/login/factor${path}`, { body })
const own = (headers: Headers, method: string, path = '', body?: object) =>
  world.call(headers, method, `/api/me/factor${path}`, body)
const namesOf = (id: string) => eventsOf(world, id).map(({ name }) => name)
/** The code of an app, or the next one: each is accepted once, and the one before may be too old on a slow machine. */
const codeOf = (secret: string, next = 0) => generate({ secret, epoch: Math.floor(Date.now() / 1000) + 30 * next })

/** A client of a merchant with a second factor, its secret and its recovery codes. */
async function userWithFactor() {
  const user = await world.makeUser({ role: 'client', merchant_id: world.azul.merchant_id })
  const { secret } = (await own(user.headers, 'POST')).body.data
  const { body } = await own(user.headers, 'POST', '/confirm', { code: await codeOf(secret) })
  // As if the code had been of an earlier half minute, so that the test can use that of this one.
  await world.database.query('update gateway.second_factors set last_step = 0 where user_id = $1', [user.id])
  return { ...user, secret: secret as string, codes: body.data.recovery_codes as string[] }
}

/** Returns the `mfa_token` of a login with the right password. */
const mfaToken = async (account: object) => (await login(account)).body.mfa_token as string

describe('a second factor', () => {
  test('counts once a code of the app has confirmed it; then a login asks for a code', async () => {
    const user = await world.makeUser({ role: 'client', merchant_id: world.azul.merchant_id })
    const nothing = { enabled: false, enabled_at: null, required: false, recovery_codes_left: 0 }
    expect((await own(user.headers, 'GET')).body.data).toEqual(nothing)
    const { secret, uri } = (await own(user.headers, 'POST')).body.data
    expect(uri).toContain(secret)
    expect((await login(user.account)).status).toBe(200)
    expect((await own(user.headers, 'POST', '/confirm', { code: '000000' })).status).toBe(400)

    const confirmed = await own(user.headers, 'POST', '/confirm', { code: await codeOf(secret) })
    expect(confirmed.body.data.recovery_codes).toHaveLength(10)
    expect((await own(user.headers, 'GET')).body.data).toMatchObject({ enabled: true, recovery_codes_left: 10 })
    const asked = await login(user.account)
    expect([asked.status, asked.body]).toEqual([
      401,
      { error: 'mfa_required: continue at POST /api/auth/login/factor', mfa_token: expect.any(String) },
    ])
    const answer = await open('', { mfa_token: asked.body.mfa_token, code: await codeOf(secret, 1) })
    expect([answer.status, answer.body.user.id, answer.body.recovery_codes]).toEqual([200, user.id, undefined])
    expect(Date.now() / 1000 - Number(decodeJwt(answer.body.token).auth_time)).toBeLessThan(60)
    await waitFor(() => namesOf(user.id).includes('auth.factor_added'))
  })

  test('is set up again as long as it is not confirmed, and not beside a confirmed one', async () => {
    const user = await world.makeUser({ role: 'client', merchant_id: world.azul.merchant_id })
    expect((await own(user.headers, 'POST', '/confirm', { code: '000000' })).status).toBe(409)
    const first = (await own(user.headers, 'POST')).body.data.secret
    const second = (await own(user.headers, 'POST')).body.data.secret
    expect((await own(user.headers, 'POST', '/confirm', { code: await codeOf(first) })).status).toBe(400)
    expect((await own(user.headers, 'POST', '/confirm', { code: await codeOf(second) })).status).toBe(200)
    expect((await own(user.headers, 'POST')).status).toBe(409)
  })

  test('is stored encrypted, and its recovery codes as hashes', async () => {
    const { id, secret, codes } = await userWithFactor()
    const stored = await world.database.query(
      `select f::text from gateway.second_factors f where user_id = $1
       union all select c::text from gateway.recovery_codes c where user_id = $1
       union all select o::text from gateway.outbox o`,
      [id],
    )
    for (const one of [secret, ...codes, ...codes.map(code => code.replaceAll('-', ''))])
      expect(JSON.stringify(stored)).not.toContain(one)
  })

  test('is encrypted again under a new first key, and works with it alone', async () => {
    const { account, secret } = await userWithFactor()
    const added = { id: 'added', bytes: sealedWith(randomBytes(32)) }
    const { ENCRYPTION_KEYS: before, DATABASE_URL } = world.config
    const db = openDatabase({ url: reveal(DATABASE_URL), schema, entities })
    try {
      await sealFactors(db, [added, ...before])
      const keys = await world.database.query(
        `select distinct split_part(secret_sealed, '.', 1) as key from gateway.second_factors`,
      )
      expect(keys).toEqual([{ key: 'added' }])
      const [row] = await db.execute<{ id: Id<'usr'> }>('select id from gateway.users where email = ?', [account.email])
      const code = await codeOf(secret)
      expect(await db.write(tx => useCode(tx, [added], row!.id, code))).toBe('totp')
    } finally {
      await sealFactors(db, [...before, added] as KeyRing)
      await db.close()
    }
  })

  test('can be removed by its user for a code, and then a password is enough again', async () => {
    const { headers, account, id, secret } = await userWithFactor()
    const remove = (code: string) => own(headers, 'POST', '/remove', { code })
    expect((await remove('000000')).status).toBe(401)
    expect((await login(account)).status).toBe(401)
    expect((await remove(await codeOf(secret))).body).toEqual({ data: { removed: true } })
    expect((await remove(await codeOf(secret, 1))).status).toBe(401)
    expect((await login(account)).status).toBe(200)
    await waitFor(() => namesOf(id).filter(name => name === 'auth.factor_removed').length === 1)
  })

  test('that is lost is removed by an owner or operator, which ends the logins of the user', async () => {
    const user = await userWithFactor()
    const remove = (headers: Headers) => world.call(headers, 'DELETE', `/api/users/${user.id}/factor`)
    const stranger = await world.makeUser({ role: 'client', merchant_id: world.rojo.merchant_id })
    expect((await remove(stranger.headers)).status).toBe(403)
    expect((await remove(user.headers)).status).toBe(409)
    expect((await remove(world.asClient)).body).toEqual({ data: { removed: true } })
    await withinASecond(401, () => send(world.url, '/api/me', { headers: user.headers }))
    expect((await refresh(user.login.refresh_token)).status).toBe(401)
    expect((await login(user.account)).status).toBe(200)
    expect((await remove(world.asOperator)).body).toEqual({ data: { removed: false } })
  })
})

describe('a login with a code', () => {
  test('takes each code of the app once, however many calls send it', async () => {
    const { account, secret, id } = await userWithFactor()
    const code = await codeOf(secret)
    // Attempts of one address run one after another, so these do not come through a login.
    const db = openDatabase({ url: reveal(world.config.DATABASE_URL), schema, entities })
    const use = () => db.write(tx => useCode(tx, world.config.ENCRYPTION_KEYS, id as Id<'usr'>, code))
    const used = await Promise.all(Array.from({ length: 8 }, use))
    await db.close()
    expect(used.filter(proof => proof !== undefined)).toEqual(['totp'])
    expect((await open('', { mfa_token: await mfaToken(account), code })).status).toBe(401)
  })

  test('takes each recovery code once, as people type it', async () => {
    const { account, codes, id, headers } = await userWithFactor()
    const code = codes[3]?.toUpperCase().replaceAll('-', ' ') ?? ''
    const mfa_token = await mfaToken(account)
    const answers = [await open('', { mfa_token, code }), await open('', { mfa_token, code })]
    expect(answers.map(({ status }) => status)).toEqual([200, 401])
    expect((await own(headers, 'GET')).body.data.recovery_codes_left).toBe(9)
    await waitFor(() => namesOf(id).includes('auth.recovery_code_used'))
  })

  test('counts wrong codes as failed logins: after five the right one is blocked too', async () => {
    const { account, secret, id } = await userWithFactor()
    const mfa_token = await mfaToken(account)
    for (let attempt = 0; attempt < 5; attempt++)
      expect((await open('', { mfa_token, code: `00000${attempt}` })).status).toBe(401)
    expect((await open('', { mfa_token, code: await codeOf(secret) })).status).toBe(429)
    expect((await login(account)).status).toBe(429)
    await waitFor(() => namesOf(id).filter(name => name === 'auth.login_failed').length === 5)
  })

  test('a wrong password gets the same answer whether or not the user has a second factor', async () => {
    const { account } = await userWithFactor()
    const answer = await login({ ...account, password: 'not the password' })
    expect([answer.status, answer.body]).toEqual([401, { error: 'unauthorized' }])
  })

  test.each([
    ['no token', () => 'nonsense'],
    ['an access token', async () => (await world.login(operator)).token],
    ['a token whose subject is a condition', () => unsigned({ sub: { $ne: null } })],
    ['a token whose subject is a list', () => unsigned({ sub: ['usr_01kdvc4x2m8p6q7r9s0t1v2w3x'] })],
    ['a token without a subject', () => unsigned({})],
    ["another user's token with a changed subject", async () => forgedFor(await userWithFactor())],
  ])('takes no code with %s', async (_what, tokenOf) => {
    const answer = await open('', { mfa_token: await tokenOf(), code: '123456' })
    expect([answer.status, answer.body]).toEqual([401, { error: 'unauthorized' }])
  })

  test('a new password ends a login that waits for its code', async () => {
    const { account, secret, id } = await userWithFactor()
    const mfa_token = await mfaToken(account)
    const { setup_token } = (await world.call(world.asOperator, 'POST', `/api/users/${id}/setup-token`, {})).body
    await send(world.url, '/api/auth/password', { body: { token: setup_token, password: 'another long password' } })
    expect((await open('', { mfa_token, code: await codeOf(secret) })).status).toBe(401)
  })
})

const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const unsigned = (claims: object) => `${base64({ alg: 'HS256', typ: 'mfa+jwt' })}.${base64(claims)}.c2lnbmF0dXJl`

/** A token with the signature of one user and the id of another. */
async function forgedFor(victim: { id: string }): Promise<string> {
  const attacker = await userWithFactor()
  const [header = '', , signature = ''] = (await mfaToken(attacker.account)).split('.')
  const claims = { sub: victim.id, iat: Math.floor(Date.now() / 1000), exp: Math.floor(Date.now() / 1000) + 300 }
  return `${header}.${base64(claims)}.${signature}`
}

test('a confirmation asks a user with a second factor for a code', async () => {
  const { headers, secret, codes, id } = await userWithFactor()
  const confirm = (body: object) => world.call(headers, 'POST', '/api/auth/confirm', { password, ...body })
  const missing = await confirm({})
  expect([missing.status, missing.body.error]).toEqual([
    400,
    'invalid_request: code: required, a code of the second factor',
  ])
  expect((await confirm({ code: '000000' })).status).toBe(401)
  expect((await confirm({ code: await codeOf(secret) })).status).toBe(200)
  expect((await confirm({ code: codes[0] })).status).toBe(200)
  expect((await confirm({ code: codes[0] })).status).toBe(401)
  await waitFor(() => namesOf(id).includes('auth.recovery_code_used'))
})

test('a new factor ends the other logins of its user', async () => {
  const user = await world.makeUser({ role: 'client', merchant_id: world.azul.merchant_id })
  const other = await world.login(user.account)
  const { secret } = (await own(user.headers, 'POST')).body.data
  await own(user.headers, 'POST', '/confirm', { code: await codeOf(secret) })
  await withinASecond(401, () => send(world.url, '/api/me', { headers: bearer(other.token) }))
  expect((await refresh(other.refresh_token)).status).toBe(401)
  expect((await refresh(user.login.refresh_token)).status).toBe(200)
})

test('guesses from other addresses do not keep a user with a device token from its code', async () => {
  const { account, secret } = await userWithFactor()
  const first = await open('', { mfa_token: await mfaToken(account), code: await codeOf(secret) })
  // Twenty failures of others: the limit of an account from addresses that are not known.
  await world.database.query(
    `insert into gateway.login_failures (account_hash, address)
     select encode(sha256(convert_to($1, 'utf8')), 'hex'), '203.0.113.' || n from generate_series(1, 20) n`,
    [account.email],
  )
  await world.database.query('delete from gateway.known_addresses')
  const { device_token } = first.body
  const asked = await login({ ...account, device_token })
  const answer = await open('', { mfa_token: asked.body.mfa_token, code: await codeOf(secret, 1) })
  expect([asked.body.error, answer.status]).toEqual([expect.stringMatching(/^mfa_required/), 200])
})

describe('where operators have to have a second factor', () => {
  let strict: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    strict = await start({ ...world.config, SPOOL_DIR: `${world.config.SPOOL_DIR}/strict`, MFA: 'operators' })
  })
  afterAll(() => strict?.stop())
  const at = (path: string, body: object) => send(strict.url, `/api/auth/${path}`, { body })

  test('one without sets it up at its login, which answers its recovery codes', async () => {
    const { account } = await world.makeOperator('all')
    const asked = await at('login', account)
    const { mfa_token } = asked.body
    expect([asked.status, asked.body]).toEqual([
      401,
      { error: 'mfa_required: continue at POST /api/auth/login/factor/setup', mfa_token, mfa_setup: true },
    ])
    expect((await at('login/factor', { mfa_token, code: '123456' })).status).toBe(409)
    const { secret } = (await at('login/factor/setup', { mfa_token })).body.data
    const login = await at('login/factor', { mfa_token, code: await codeOf(secret) })
    expect([login.status, login.body.recovery_codes.length]).toEqual([200, 10])
    const headers = bearer(login.body.token)
    const { body } = await send(strict.url, '/api/me/factor', { headers })
    expect(body.data).toMatchObject({ enabled: true, required: true, recovery_codes_left: 10 })
    expect((await at('login', account)).body.mfa_setup).toBeUndefined()
  })

  test('a login from before goes on neither by a refresh nor by a confirmation', async () => {
    const { login, headers } = await world.makeOperator('all')
    expect((await at('refresh', { refresh_token: login.refresh_token })).status).toBe(401)
    const confirming = { headers, method: 'POST', body: { password } }
    expect((await send(strict.url, '/api/auth/confirm', confirming)).status).toBe(401)
  })

  test('no one removes the own factor', async () => {
    const { headers } = await world.makeOperator('all')
    const removing = { headers, method: 'POST', body: { code: '000000' } }
    expect((await send(strict.url, '/api/me/factor/remove', removing)).status).toBe(409)
  })

  test('clients are not asked', async () => {
    const { account } = await world.makeUser({ role: 'client', merchant_id: world.azul.merchant_id })
    expect((await at('login', account)).status).toBe(200)
  })
})
