import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Database, openDatabase } from '@cobro/database'
import { reveal, secret } from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import { generate } from 'otplib'
import { pruneLoginRecords } from '../src/auth/login-failures.ts'
import { parseIpRange } from '../src/network/ip-ranges.ts'
import { type AdminWorld, adminWorld, newEmail, password } from './admin-calls.ts'
import { clients, send, start } from './gateway-world.ts'
import { type MailServer, mailServer } from './mail-server.ts'

let server: MailServer
let world: AdminWorld
let db: Database
beforeAll(async () => {
  server = await mailServer()
  world = await adminWorld(config => ({
    ...config,
    SMTP_URL: secret(server.url),
    MAIL_FROM: { name: 'Cobro', address: 'no-reply@cobro.test' },
    TRUSTED_PROXIES: [parseIpRange('127.0.0.0/8')],
  }))
  db = openDatabase({ url: reveal(world.config.DATABASE_URL), schema: 'gateway', entities: [] })
})
afterAll(async () => {
  await db.close()
  await world.stop()
  await server.close()
})

const [owner] = clients
const post = (path: string, body: object, address = '203.0.113.1') =>
  send(world.url, `/api/auth/${path}`, { headers: { 'x-forwarded-for': address }, body })
const reset = (email: string) => post('password/reset', { email })
const mailTo = (address: string, subject: RegExp) =>
  waitFor(() => server.to(address).find(mail => subject.test(mail.subject)))
const tokenIn = (text: string) => /https:\/\/api\.cobro\.test\/account\/password#token=(\S+)/.exec(text)?.[1] ?? ''
const newUser = async () => {
  const facts = { email: newEmail(), role: 'client', merchant_id: world.azul.merchant_id }
  const { body } = await world.call(world.asOperator, 'POST', '/api/users', facts)
  return { id: body.data.id as string, email: facts.email, setup_token: body.setup_token as string | undefined }
}

test('a new user gets a link to choose a password, in the language of the merchant, and its token works once', async () => {
  const { email, setup_token } = await newUser()
  const mail = await mailTo(email, /^Elige tu contraseña de Cobro$/)
  const token = tokenIn(mail.text)
  // In the sandbox the answer has it too.
  expect(token).toBe(setup_token)
  expect(mail.html).toContain(`<a href="https://api.cobro.test/account/password#token=${token}">`)
  expect((await post('password', { token, password })).status).toBe(200)
  expect((await post('password', { token, password })).status).toBe(401)
  expect((await post('login', { email, password })).status).toBe(200)
  await waitFor(async () => (await mailRows(email)).every(({ status }) => status === 'sent'))
  expect(JSON.stringify(await mailRows(email))).not.toContain('vst_')
  expect((await mailRows(email)).map(({ token_sealed }) => token_sealed)).toEqual([null])
})

test('in production the answer to a new user has no setup token', async () => {
  const SPOOL_DIR = join(world.config.SPOOL_DIR, 'production')
  const production = await start({ ...world.config, COBRO_ENV: 'production', SPOOL_DIR })
  const facts = { email: newEmail(), role: 'client', merchant_id: world.azul.merchant_id }
  const answer = await send(production.url, '/api/users', { headers: world.asOperator, body: facts })
  await production.stop()
  expect([answer.status, Object.keys(answer.body)]).toEqual([201, ['data']])
  expect(tokenIn((await mailTo(facts.email, /contraseña/)).text)).toMatch(/^vst_/)
})

test('a reset mails a link that lasts an hour, keeps the password until it is used, and then ends all logins', async () => {
  const { account, login, id } = await world.makeUser({ role: 'client', merchant_id: world.azul.merchant_id })
  const answer = await reset(account.email.toUpperCase())
  expect([answer.status, answer.body]).toEqual([202, { data: { accepted: true } }])
  const token = tokenIn((await mailTo(account.email, /^Restablece/)).text)
  const [row] = await world.database.query(
    'select extract(epoch from setup_expires_at - now()) / 60 as minutes, credentials_since from gateway.users where id = $1',
    [id],
  )
  expect(Number(row.minutes)).toBeGreaterThan(58)
  expect(Number(row.minutes)).toBeLessThanOrEqual(60)
  expect((await post('login', account)).status).toBe(200)
  const chosen = 'quite another password'
  expect((await post('password', { token, password: chosen })).status).toBe(200)
  await mailTo(account.email, /^Cambió tu contraseña/)
  expect((await post('refresh', { refresh_token: login.refresh_token })).status).toBe(401)
  expect([
    (await post('login', account)).status,
    (await post('login', { ...account, password: chosen })).status,
  ]).toEqual([...[401, 200]])
  const [after] = await world.database.query('select credentials_since from gateway.users where id = $1', [id])
  expect(after.credentials_since > row.credentials_since).toBe(true)
  const event = await waitFor(() =>
    world.tap.messages.find(one => one.request_id === answer.requestId && one.name === 'auth.password_reset_requested'),
  )
  expect(event).toMatchObject({ target_id: id, merchant_id: world.azul.merchant_id, data: { id } })
})

test('a newer link replaces the one before it, and an account gets three in an hour', async () => {
  const { account } = await world.makeUser({ role: 'client', merchant_id: world.azul.merchant_id })
  const tokens = []
  for (let count = 1; count <= 3; count++) {
    await reset(account.email)
    await waitFor(() => server.to(account.email).length === count)
    tokens.push(tokenIn(server.to(account.email).at(-1)?.text ?? ''))
  }
  expect((await reset(account.email)).status).toBe(202)
  expect(await mailRows(account.email)).toHaveLength(3)
  const results = []
  for (const token of tokens) results.push((await post('password', { token, password })).status)
  expect(results).toEqual([401, 401, 200])
})

test('strangers cannot replace a token that someone has issued', async () => {
  const invited = await newUser()
  const { account, id } = await world.makeUser({ role: 'client', merchant_id: world.azul.merchant_id })
  const issued = await world.call(world.asOperator, 'POST', `/api/users/${id}/setup-token`)
  const tokens = { [invited.email]: invited.setup_token, [account.email]: issued.body.setup_token }
  for (const [email, token] of Object.entries(tokens)) {
    expect((await reset(email)).status).toBe(202)
    expect((await post('password', { token, password: 'quite another password' })).status).toBe(200)
    // The reset may still be running: the next one of the user comes after it.
    await reset(email)
    await mailTo(email, /^Restablece/)
    expect((await mailRows(email)).filter(({ kind }) => kind === 'password_reset')).toHaveLength(1)
  }
})

test('a reset answers the same, after the same time, whether or not the user exists', async () => {
  const { account } = await world.makeUser({ role: 'client', merchant_id: world.azul.merchant_id })
  const time = async (email: string) => {
    const begun = performance.now()
    const { status, body } = await reset(email)
    expect([status, body]).toEqual([202, { data: { accepted: true } }])
    return performance.now() - begun
  }
  const times: { known: number[]; unknown: number[] } = { known: [], unknown: [] }
  for (let round = 0; round < 3; round++) {
    times.known.push(await time(account.email))
    times.unknown.push(await time(newEmail()))
  }
  const [known, unknown] = [Math.min(...times.known), Math.min(...times.unknown)]
  // Timers may fire a millisecond early.
  expect(Math.min(known, unknown)).toBeGreaterThan(298)
  expect(Math.abs(known - unknown)).toBeLessThan(100)
})

test('resets that have to wait leave connections to other calls', async () => {
  const answers = await whileUsersAreLocked(async () => {
    // More than there are connections.
    const resets = await Promise.all(Array.from({ length: 40 }, () => reset(newEmail())))
    const { status } = await world.call(world.asOperator, 'GET', '/api/users')
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return [[...new Set(resets.map(answer => answer.status))], status, (await world.database.query(waiting)).length]
  })
  expect(answers).toEqual([[202], 200, 2])
})

test('a disabled user gets no link', async () => {
  const { account, id } = await world.makeUser({ role: 'client', merchant_id: world.azul.merchant_id })
  await world.call(world.asOperator, 'PUT', `/api/users/${id}`, { status: 'disabled' })
  expect((await reset(account.email)).status).toBe(202)
  expect(await mailRows(account.email)).toEqual([])
})

test('a login from an unknown address without a device token is reported, and others are not', async () => {
  const { account } = await world.makeUser({ role: 'client', merchant_id: world.azul.merchant_id })
  const { device_token } = (await post('login', account, '203.0.113.7')).body
  await post('login', { ...account, device_token }, '203.0.113.8')
  await post('login', account, '203.0.113.7')
  const reported = async () => (await mailRows(account.email)).map(({ data }) => data.address)
  // The login that makes the user comes from this machine.
  expect(await reported()).toEqual(['203.0.113.7'])
  await post('login', account, '203.0.113.9')
  expect(await reported()).toEqual(['203.0.113.7', '203.0.113.9'])
  expect((await mailTo(account.email, /^Nuevo inicio de sesión/)).text).toContain('Dirección IP: 203.0.113.7')
})

test('a login to an account that was not used for 90 days is reported', async () => {
  const { account, id } = await world.makeUser({ role: 'client', merchant_id: world.azul.merchant_id })
  await post('login', account, '203.0.113.7')
  await waitFor(async () => (await mailRows(account.email)).length === 1)
  const addresses = () =>
    world.database.query('select address from gateway.known_addresses where account_hash = $1', [hashOf(account.email)])
  expect(await addresses()).toHaveLength(2)
  const age = "update gateway.known_addresses set seen_at = seen_at - interval '91 days' where account_hash = $1"
  await world.database.query(age, [hashOf(account.email)])
  await pruneLoginRecords(db)
  expect(await addresses()).toEqual([{ address: '203.0.113.7' }])
  await post('login', account, '203.0.113.7')
  await post('login', account, '203.0.113.7')
  expect(await mailRows(account.email)).toHaveLength(2)
  expect((await world.call(world.asOperator, 'DELETE', `/api/users/${id}`)).status).toBe(200)
  await world.database.query(age, [hashOf(account.email)])
  await pruneLoginRecords(db)
  expect(await addresses()).toEqual([])
})

test('a second factor that is added or removed is reported to its user', async () => {
  const { id, account, headers } = await world.makeUser({ role: 'client', merchant_id: world.azul.merchant_id })
  const { secret: shown } = (await world.call(headers, 'POST', '/api/me/factor')).body.data
  const code = await generate({ secret: shown })
  expect((await world.call(headers, 'POST', '/api/me/factor/confirm', { code })).status).toBe(200)
  const added = await mailTo(account.email, /^Se agregó un segundo factor a tu cuenta$/)
  expect(added.raw).not.toContain(shown)
  expect((await world.call(world.asOperator, 'DELETE', `/api/users/${id}/factor`)).status).toBe(200)
  await mailTo(account.email, /^Se quitó el segundo factor de tu cuenta$/)
})

test('a new key is reported to owners and developers, without the key', async () => {
  const { merchant_id } = world.azul
  const developer = await world.makeUser({ role: 'client', merchant_id, access: 'developer' })
  const viewer = await world.makeUser({ role: 'client', merchant_id, access: 'viewer' })
  const { body } = await world.call(world.asClient, 'POST', '/api/api-keys', { name: 'caja 1' })
  for (const address of [owner.email, developer.account.email]) {
    const mail = await mailTo(address, /^Nueva llave de API de Café Azul$/)
    expect(mail.text).toContain('Nombre: caja 1')
    expect(mail.raw).not.toContain(body.key)
  }
  expect(await mailRows(viewer.account.email)).toEqual([])
})

test('a deployment without mail stores none, and accepts a reset', async () => {
  const off = await adminWorld()
  const { body } = await off.call(off.asOperator, 'POST', '/api/users', {
    ...{ email: newEmail(), role: 'client', merchant_id: off.azul.merchant_id },
  })
  expect(body.setup_token).toMatch(/^vst_/)
  expect((await send(off.url, '/api/auth/password/reset', { body: { email: owner.email } })).status).toBe(202)
  await off.call(off.asClient, 'POST', '/api/api-keys', { name: 'caja 1' })
  const features = async ({ call, asClient }: AdminWorld) => (await call(asClient, 'GET', '/api/me')).body.data.features
  expect([await features(world), await features(off)]).toEqual([['mail'], []])
  expect(await off.database.query('select id from gateway.mails')).toEqual([])
  await off.stop()
})

/** Runs work while no one can lock or change a user. */
const whileUsersAreLocked = <T>(work: () => Promise<T>) =>
  db.write(async tx => {
    await tx.execute('lock table gateway.users in exclusive mode')
    return work()
  })

const hashOf = (email: string) => createHash('sha256').update(email).digest('hex')
const mailRows = (recipient: string) =>
  world.database.query('select * from gateway.mails where recipient = $1 order by created_at', [recipient])
