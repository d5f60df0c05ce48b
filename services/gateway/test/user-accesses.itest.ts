import { decodeJwt } from 'jose'
import { type AdminWorld, adminWorld, type Headers, idsOf, newEmail, userCalls } from './admin-calls.ts'
import { send, withinASecond } from './gateway-world.ts'

let world: AdminWorld
beforeAll(async () => {
  world = await adminWorld()
})
afterAll(() => world.stop())

const { client, create, change, read, remove, list, issueToken, refresh } = userCalls(() => world)

/** A merchant of its own with an owner, so that no other user of it counts. */
async function newOwner() {
  const merchant_id = await world.makeMerchant()
  const makeClient = (access: string) => world.makeUser({ role: 'client', merchant_id, access })
  return { merchant_id, makeClient, owner: await makeClient('owner') }
}

const accessOf = async (id: string) => (await read(id)).body.data.access

describe('the access of a user', () => {
  test('is the widest of its role by default', async () => {
    const operator = { email: newEmail(), role: 'operator', merchants: 'all' }
    const made = [await create(client()), await create(operator)]
    expect(made.map(({ body }) => body.data.access)).toEqual(['owner', 'admin'])
  })

  test.each([
    ['client', 'admin'],
    ['client', 'auditor'],
    ['operator', 'owner'],
    ['operator', 'viewer'],
    ['client', 'root'],
  ])('of a %s cannot be %s', async (role, access) => {
    const facts = role === 'client' ? client() : { email: newEmail(), role, merchants: 'all' }
    const { id } = (await create(facts)).body.data
    for (const answer of [await create({ ...facts, email: newEmail(), access }), await change(id, { access })])
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(/^invalid_request: access: /)])
  })

  test('is a claim of its tokens, and part of the login and of getMe', async () => {
    const user = await world.makeUser({ role: 'operator', merchants: 'all', access: 'auditor' })
    expect(decodeJwt(user.login.token)).toMatchObject({ role: 'operator', access: 'auditor' })
    expect(user.login.user.access).toBe('auditor')
    const { data } = (await world.call(user.headers, 'GET', '/api/me')).body
    expect(data.user.access).toBe('auditor')
    expect(data.permissions).toEqual(expect.arrayContaining(['listEvents', 'listTransactions']))
    for (const id of ['createUser', 'refundTransaction', 'updateMerchant']) expect(data.permissions).not.toContain(id)
  })

  test('can be changed, which ends the logins of the user and applies to its next one', async () => {
    const { owner, makeClient } = await newOwner()
    const viewer = await makeClient('viewer')
    const rejected = await world.call(viewer.headers, 'POST', '/api/webhooks', {})
    expect([rejected.status, rejected.body.error]).toEqual([
      403,
      'forbidden: the access viewer does not allow this: expected owner or developer',
    ])
    expect((await change(viewer.id, { access: 'developer' }, owner.headers)).body.data.access).toBe('developer')
    await withinASecond(401, () => send(world.url, '/api/me', { headers: viewer.headers }))
    expect((await refresh(viewer.login.refresh_token)).status).toBe(401)
    expect((await world.login(viewer.account)).user.access).toBe('developer')
  })

  test('that changes voids the setup token of the user, whose issuer could take it over', async () => {
    const { owner, makeClient } = await newOwner()
    const viewer = await makeClient('viewer')
    const { setup_token } = (await issueToken(viewer.id, owner.headers)).body
    await change(viewer.id, { access: 'finance' }, owner.headers)
    const used = await send(world.url, '/api/auth/password', {
      body: { token: setup_token, password: 'a password that is long' },
    })
    expect(used.status).toBe(401)
  })

  test('and credentials that others change make the user as new as they are', async () => {
    const { owner, makeClient } = await newOwner()
    const { id } = await makeClient('finance')
    const secondsOld = async () => {
      const [row] = await world.database.query(
        'select extract(epoch from now() - credentials_since)::float8 as age from gateway.users where id = $1',
        [id],
      )
      return row.age as number
    }
    const others = [
      () => issueToken(id, owner.headers),
      () => change(id, { access: 'viewer' }, owner.headers),
      () => change(id, { status: 'disabled' }, owner.headers),
      () => change(id, { status: 'active' }, owner.headers),
    ]
    for (const act of others) {
      await world.database.query(`update gateway.users set credentials_since = 'epoch' where id = $1`, [id])
      expect((await act()).status).toBe(200)
      expect(await secondsOld()).toBeLessThan(60)
    }
    await world.database.query(`update gateway.users set credentials_since = 'epoch' where id = $1`, [id])
    await change(id, { name: 'Ana' }, owner.headers)
    expect(await secondsOld()).toBeGreaterThan(60)
  })

  test('of a developer limits the scopes of its API keys to what it may do itself', async () => {
    const { owner, makeClient } = await newOwner()
    const developer = await makeClient('developer')
    const create = (body: object, headers = developer.headers) =>
      world.call(headers, 'POST', '/api/api-keys', { name: 'shop', ...body })
    const allowed = await create({ scopes: ['checkout:write', 'transactions:read', 'webhooks:write'] })
    expect(allowed.status).toBe(201)
    for (const scopes of [undefined, ['transactions:write'], ['checkout:read', 'disputes:write']]) {
      const { status, body } = await create({ scopes })
      expect([status, body.error]).toEqual([
        403,
        expect.stringMatching(/^forbidden: scopes: the access developer cannot/),
      ])
    }
    const full = (await create({}, owner.headers)).body.id
    const wider = world.call(developer.headers, 'PUT', `/api/api-keys/${allowed.body.id}`, { scopes: null })
    const rotated = world.call(developer.headers, 'POST', `/api/api-keys/${full}/rotate`, {})
    expect((await Promise.all([wider, rotated])).map(({ status }) => status)).toEqual([403, 403])
    expect((await world.call(developer.headers, 'POST', `/api/api-keys/${allowed.body.id}/rotate`, {})).status).toBe(
      201,
    )
    expect((await world.call(developer.headers, 'DELETE', `/api/api-keys/${full}`)).status).toBe(200)
  })

  test('filters the list of users', async () => {
    const { makeClient, owner } = await newOwner()
    const viewer = await makeClient('viewer')
    expect(idsOf(await list('?access=viewer', owner.headers))).toEqual([viewer.id])
  })

  test('is the widest for a user that the release before inserts', async () => {
    await world.database.query(
      `insert into gateway.users (id, email, role, merchants, status, created_at, updated_at)
       values ('usr_01kdvc4x2m8p6q7r9s0t1v2w3x', 'before@cobro.test', 'operator', '"all"', 'active', now(), now())`,
    )
    expect(await accessOf('usr_01kdvc4x2m8p6q7r9s0t1v2w3x')).toBe('admin')
  })
})

describe('an owner', () => {
  test('lists, invites, changes, disables and invites again the users of its merchant', async () => {
    const { merchant_id, owner } = await newOwner()
    const invited = await create(client({ merchant_id, access: 'finance' }), owner.headers)
    expect([invited.status, invited.body.setup_token]).toEqual([201, expect.stringMatching(/^vst_/)])
    const { id } = invited.body.data
    expect(idsOf(await list('', owner.headers)).sort()).toEqual([owner.id, id].sort())
    expect((await read(id, owner.headers)).body.data).toMatchObject({ merchant_id, access: 'finance' })
    expect((await change(id, { name: 'Ana', status: 'disabled' }, owner.headers)).status).toBe(200)
    expect((await issueToken(id, owner.headers)).status).toBe(200)
    expect((await remove(id, owner.headers)).status).toBe(403)
  })

  test("reaches neither another merchant's users nor operators, not even those of its merchant alone", async () => {
    const { merchant_id, owner } = await newOwner()
    const operator = await world.makeOperator([merchant_id])
    const others = [operator.id, (await create(client())).body.data.id]
    for (const id of others) {
      const answers = [
        await read(id, owner.headers),
        await change(id, { name: 'mine' }, owner.headers),
        await issueToken(id, owner.headers),
      ]
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
    }
    expect(idsOf(await list('', owner.headers))).toEqual([owner.id])
    const made = [
      await create(client(), owner.headers),
      await create({ email: newEmail(), role: 'operator', merchants: [merchant_id] }, owner.headers),
    ]
    expect(made.map(({ status }) => status)).toEqual([403, 403])
    // The header by which an operator states a merchant means nothing for others.
    const stating: Headers = { ...owner.headers, 'x-merchant-id': world.azul.merchant_id }
    expect(idsOf(await list('', stating))).toEqual([owner.id])
  })

  test('cannot change its own access, nor lose the last other owner while it is being disabled itself', async () => {
    const { owner, makeClient } = await newOwner()
    const other = await makeClient('owner')
    expect((await change(owner.id, { access: 'viewer' }, owner.headers)).status).toBe(409)
    // Whichever comes first, one owner stays.
    const answers = await Promise.all([
      change(other.id, { status: 'disabled' }, owner.headers),
      change(owner.id, { status: 'disabled' }, other.headers),
    ])
    const [first, second = 0] = answers.map(({ status }) => status).sort()
    expect([first, [401, 409].includes(second)]).toEqual([200, true])
  })

  test('of which none is left may be made by an operator, who may also take the last one away', async () => {
    const { owner } = await newOwner()
    expect((await change(owner.id, { access: 'finance' })).body.data.access).toBe('finance')
    expect((await change(owner.id, { access: 'owner' })).body.data.access).toBe('owner')
  })
})
