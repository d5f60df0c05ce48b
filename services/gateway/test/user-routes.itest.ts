import { newId } from '@cobro/contracts'
import { waitFor } from '@cobro/testing'
import {
  type AdminWorld,
  adminWorld,
  eventsOf,
  type Headers,
  idsOf,
  newEmail,
  password,
  userCalls,
} from './admin-calls.ts'
import { clients, send, token } from './gateway-world.ts'

let world: AdminWorld
beforeAll(async () => {
  world = await adminWorld()
})
afterAll(() => world.stop())

const { client, create, change, read, remove, list, issueToken, login } = userCalls(() => world)

describe('creating a user', () => {
  test('creates a client of one merchant with a password that logs in', async () => {
    const account = { email: newEmail(), password }
    const answer = await create(client({ ...account, name: 'Ana' }))
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        data: {
          id: expect.stringMatching(/^usr_/),
          email: account.email,
          name: 'Ana',
          role: 'client',
          access: 'owner',
          merchant_id: world.azul.merchant_id,
          merchants: null,
          status: 'active',
          created_at: expect.stringMatching(/Z$/),
          updated_at: expect.any(String),
        },
      },
    ])
    expect((await login(account)).body.user.id).toBe(answer.body.data.id)
    expect((await read(answer.body.data.id)).body).toEqual({ data: answer.body.data })
  })

  test.each([['all'], [1]])('creates an operator of %s', async scope => {
    const merchants = scope === 'all' ? 'all' : [world.azul.merchant_id]
    const { id, headers } = await world.makeOperator(merchants)
    expect((await read(id)).body.data).toMatchObject({ role: 'operator', merchant_id: null, merchants })
    expect((await send(world.url, '/api/transactions', { headers })).status).toBe(200)
  })

  test('creates a user without a password, and returns a setup token once and stores only its hash', async () => {
    const { body } = await create(client())
    const { data, setup_token } = body
    expect(setup_token).toMatch(/^vst_[\w-]{43}$/)
    expect((await read(data.id)).body).toEqual({ data })
    expect((await login({ email: data.email, password: '' })).status).toBe(400)
    const dump = await world.database.query(
      'select u::text from gateway.users u union select o::text from gateway.outbox o',
    )
    expect(JSON.stringify(dump)).not.toContain(setup_token)
  })

  test('creates a user once under one Idempotency-Key, and replays the setup token', async () => {
    const headers = { ...world.asOperator, 'idempotency-key': 'user-once' }
    const body = client()
    const first = await create(body, headers)
    const again = await create(body, headers)
    expect([again.status, again.headers.get('idempotent-replayed'), again.body]).toEqual([201, 'true', first.body])
    const kept = await world.database.query('select k::text from gateway.idempotency_keys k')
    expect(JSON.stringify(kept)).not.toContain(first.body.setup_token)
  })

  test('creating a user emits an event with its scope and without name and e-mail', async () => {
    const { data } = (await create(client({ name: 'Ana Ruiz' }))).body
    const [event] = await waitFor(() => eventsOf(world, data.id).length > 0 && eventsOf(world, data.id))
    expect(event).toMatchObject({
      name: 'user.created',
      merchant_id: world.azul.merchant_id,
      actor: { type: 'operator' },
      data: { id: data.id, role: 'client', merchants: null, status: 'active' },
    })
    expect(JSON.stringify(event)).not.toMatch(/Ana|@cobro/)
  })
})

describe('unique e-mail addresses', () => {
  test('rejects a user with an existing e-mail address in another case', async () => {
    const { email } = (await create(client())).body.data
    const answer = await create(client({ email: email.toUpperCase() }))
    expect([answer.status, answer.body]).toEqual([409, { error: 'conflict: email: already in use' }])
  })

  test('ten concurrent creations with one e-mail address create one user', async () => {
    const body = client({ password })
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
  })
})

test.each([
  ['no e-mail', { email: undefined }, 'email'],
  ['an invalid e-mail', { email: 'ana' }, 'email: expected an e-mail address'],
  ['two e-mails', { email: 'a@b.mx, c@d.mx' }, 'email'],
  ['no role', { role: undefined }, 'role'],
  ['an unknown role', { role: 'admin' }, 'role'],
  ['a client of no merchant', { merchant_id: undefined }, 'merchant_id: required for the role client'],
  ['a client of many', { merchants: 'all' }, 'merchants: not for the role client'],
  ['an operator of nothing', { role: 'operator', merchant_id: undefined }, 'merchants: required for the role operator'],
  ['an operator of an empty list', { role: 'operator', merchant_id: undefined, merchants: [] }, 'merchants: too small'],
  ['an operator with a merchant', { role: 'operator', merchants: 'all' }, 'merchant_id: not for the role operator'],
  ['an invalid scope', { role: 'operator', merchant_id: undefined, merchants: 'some' }, 'merchants: expected'],
  [
    'a scope of 101 merchants',
    { role: 'operator', merchants: Array.from({ length: 101 }, () => newId('mrc')) },
    'merchants',
  ],
  ['a short password', { password: 'elevenchars' }, 'password: expected at least 12'],
  ['a password that is too long', { password: 'x'.repeat(1025) }, 'password'],
  ['a password hash', { password_hash: 'x' }, 'password_hash: unknown field'],
  ['a setup token', { setup_token: 'x' }, 'setup_token: unknown field'],
  ['a status', { status: 'disabled' }, 'status: unknown field'],
])('rejects a user with %s', async (_what, fault, words) => {
  const { status, body } = await create(client(fault))
  expect([status, body.error]).toEqual([400, expect.stringContaining(words)])
  expect(body.error).not.toContain('elevenchars')
})

test('rejects a scope that lists a merchant twice', async () => {
  const merchants = [world.azul.merchant_id, world.azul.merchant_id]
  const { status, body } = await create({ email: newEmail(), role: 'operator', merchants })
  expect([status, body.error]).toEqual([400, 'invalid_request: merchants: expected different ids'])
})

test.each(['client', 'operator'])('denies a nonexistent merchant in the scope of a new %s', async role => {
  const [missing, gone] = [newId('mrc'), await world.makeMerchant()]
  await world.call(world.asOperator, 'DELETE', `/api/merchants/${gone}`)
  for (const id of [missing, gone]) {
    const scope = role === 'client' ? { merchant_id: id } : { merchants: [world.azul.merchant_id, id] }
    expect((await create({ email: newEmail(), role, ...scope })).status).toBe(403)
  }
})

test('searches, filters and orders users, and shows no secrets', async () => {
  const { data } = (await create(client({ name: 'Zoila Xóchitl', password }))).body
  for (const query of ['?search=xóch', `?search=${data.email}`, `?email=${data.email.toUpperCase()}`]) {
    expect(idsOf(await list(query))).toEqual([data.id])
  }
  const roles = await list('?role=operator&limit=200')
  expect(new Set(roles.body.data.map((user: { role: string }) => user.role))).toEqual(new Set(['operator']))
  expect(idsOf(await list('?order=created_at&dir=desc&limit=1'))).toEqual([data.id])
  expect(JSON.stringify((await list('?limit=200')).body)).not.toMatch(/hash|argon|setup|token/)
  for (const query of ['?order=password_hash', '?search[a]=b', '?setup_token_hash=a', '?status=gone']) {
    expect((await list(query)).status).toBe(400)
  }
})

test('denies user operations to every caller but operators and owners', async () => {
  const { id } = (await create(client())).body.data
  const merchant_id = await world.makeMerchant()
  const narrow = ['developer', 'finance', 'viewer'].map(access =>
    world.makeUser({ role: 'client', merchant_id, access }),
  )
  const callers: [Headers, number][] = [
    ...(await Promise.all(narrow)).map(({ headers }): [Headers, number] => [headers, 403]),
    [token(world.azul.key), 403],
    [{}, 401],
  ]
  for (const [who, expected] of callers) {
    const answers = [list('', who), read(id, who), create(client(), who), change(id, {}, who), remove(id, who)]
    const all = await Promise.all([...answers, issueToken(id, who)])
    expect(all.map(({ status }) => status)).toEqual(Array(6).fill(expected))
  }
})

test.each(['usr_nonsense', newId('usr'), newId('mrc')])('returns 404 for the nonexistent user %s', async id => {
  const answers = [await read(id), await change(id, {}), await remove(id), await issueToken(id)]
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
})

test('users of the seed command work like other users', async () => {
  const { body } = await list(`?email=${clients[0].email}`)
  expect(body.data).toMatchObject([{ role: 'client', merchant_id: world.azul.merchant_id, status: 'active' }])
})
