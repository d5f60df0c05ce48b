import { newId } from '@cobro/contracts'
import { waitFor } from '@cobro/testing'
import { type AdminWorld, adminWorld, eventsOf, type Headers, userCalls } from './admin-calls.ts'
import { bearer, operator, send, start, withinASecond } from './gateway-world.ts'

let world: AdminWorld
let second: Awaited<ReturnType<typeof start>>
beforeAll(async () => {
  world = await adminWorld()
  second = await start({ ...world.config, SPOOL_DIR: `${world.config.SPOOL_DIR}/second` })
})
afterAll(async () => {
  await second?.stop()
  await world?.stop()
})

const { client, create, change, read, remove, list, issueToken, login, refresh } = userCalls(() => world)

describe('updating a user', () => {
  test("changes a user's name and status, with an event each", async () => {
    const { data } = (await create(client())).body
    expect((await change(data.id, { name: 'Ana' })).body.data).toEqual({
      ...data,
      name: 'Ana',
      updated_at: expect.any(String),
    })
    expect((await change(data.id, { name: null, status: 'disabled' })).body.data).toMatchObject({
      name: null,
      status: 'disabled',
    })
    await waitFor(() => eventsOf(world, data.id).length === 3)
    expect(eventsOf(world, data.id).map(event => [event.name, event.data.status])).toEqual([
      ['user.created', 'active'],
      ['user.updated', 'active'],
      ['user.updated', 'disabled'],
    ])
  })

  test('an update of a user without changes emits no event', async () => {
    const { id } = await world.makeOperator([world.azul.merchant_id])
    const before = (await read(id)).body.data
    for (const body of [{}, { name: null }, { status: 'active' }, { merchants: [world.azul.merchant_id] }]) {
      expect((await change(id, body)).body.data).toEqual(before)
    }
  })

  test("a user's new scope ends its access tokens within a second, and applies to its next login", async () => {
    const { id, account, headers } = await world.makeOperator([world.azul.merchant_id])
    const list = (by: Headers, merchant: string) =>
      send(world.url, '/api/transactions', { headers: { ...by, 'x-merchant-id': merchant } })
    const { azul, rojo } = world
    expect([(await list(headers, azul.merchant_id)).status, (await list(headers, rojo.merchant_id)).status]).toEqual([
      200, 403,
    ])
    expect((await change(id, { merchants: [rojo.merchant_id] })).status).toBe(200)
    await withinASecond(401, () => list(headers, azul.merchant_id))
    const again = bearer((await world.login(account)).token)
    expect([(await list(again, azul.merchant_id)).status, (await list(again, rojo.merchant_id)).status]).toEqual([
      403, 200,
    ])
  })

  test.each([
    [{ role: 'operator' }, 'role: cannot be edited'],
    [{ email: 'other@cobro.test' }, 'email: cannot be edited'],
    [{ merchant_id: newId('mrc') }, 'merchant_id: cannot be edited'],
    [{ merchants: 'all' }, 'merchants: not for the role client'],
    [{ merchants: null }, 'merchants'],
    [{ status: 'gone' }, 'status'],
    [{ name: '' }, 'name'],
    [{ password: 'a new long password' }, 'password: unknown field'],
  ])('rejects an update of a user with %j', async (body, words) => {
    const { id } = (await create(client())).body.data
    const answer = await change(id, body)
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(words)])
  })
})

describe('disabling and deleting users', () => {
  test('disabling a user stops its tokens within a second on every replica and ends its logins', async () => {
    const facts = { role: 'client', merchant_id: world.azul.merchant_id }
    const { id, account, headers, login: first } = await world.makeUser(facts)
    const asks = [world.url, second.url].map(url => () => send(url, '/api/transactions', { headers }))
    for (const ask of asks) expect((await ask()).status).toBe(200)
    await change(id, { status: 'disabled' })
    await withinASecond(401, ...asks)
    expect([(await login(account)).status, (await refresh(first.refresh_token)).status]).toEqual([401, 401])
    await change(id, { status: 'active' })
    expect([(await login(account)).status, (await refresh(first.refresh_token)).status]).toEqual([200, 401])
  })

  test('deleting a user stops its tokens and frees its e-mail address', async () => {
    const { id, account, headers, login: first } = await world.makeUser({ role: 'operator', merchants: 'all' })
    const answer = await remove(id)
    expect([answer.status, answer.body]).toEqual([200, { data: { id, deleted: true } }])
    await withinASecond(401, () => send(world.url, '/api/transactions', { headers }))
    expect([(await login(account)).status, (await refresh(first.refresh_token)).status]).toEqual([401, 401])
    expect([(await read(id)).status, (await remove(id)).status, (await issueToken(id)).status]).toEqual([404, 404, 404])
    expect((await create(client({ email: account.email }))).status).toBe(201)
    await waitFor(() => eventsOf(world, id).some(({ name }) => name === 'user.deleted'))
  })

  test('users can neither disable nor delete themselves, nor change their own scope or access', async () => {
    const { id, headers } = await world.makeOperator('all')
    const answers = [
      await change(id, { access: 'finance' }, headers),
      await change(id, { status: 'disabled' }, headers),
      await change(id, { merchants: [world.azul.merchant_id] }, headers),
      await remove(id, headers),
    ]
    for (const { status, body } of answers)
      expect([status, body.error]).toEqual([409, expect.stringMatching(/^conflict/)])
    expect((await change(id, { name: 'Me' }, headers)).status).toBe(200)
  })

  test('concurrent changes never remove the last admin of all merchants', async () => {
    // An operator with another access does not count.
    await world.makeUser({ role: 'operator', merchants: 'all', access: 'auditor' })
    for (let round = 0; round < 6; round++) {
      const pair = [await world.makeOperator('all'), await world.makeOperator('all')] as const
      const ids = pair.map(({ id }) => id)
      await world.database.query(
        `update gateway.users set status = 'disabled' where merchants = '"all"' and access = 'admin' and not id = any($1)`,
        [ids],
      )
      const [first, second] = pair
      const answers = await Promise.all(
        round % 2
          ? [remove(second.id, first.headers), remove(first.id, second.headers)]
          : [
              change(second.id, round % 4 ? { status: 'disabled' } : { access: 'auditor' }, first.headers),
              change(first.id, { merchants: [world.azul.merchant_id] }, second.headers),
            ],
      )
      const left = await world.database.query(
        `select 1 from gateway.users where merchants = '"all"' and status = 'active' and access = 'admin'`,
      )
      const [done, rejected] = answers.map(({ status }) => status).sort()
      expect([done, left.length]).toEqual([200, 1])
      // The slower caller may already be unauthorized.
      expect([401, 403, 409]).toContain(rejected)
      await world.database.query("update gateway.users set status = 'active' where email = $1", [operator.email])
      await waitFor(async () => (await list()).status === 200)
    }
  })
})
