import { openDatabase } from '@cobro/database'
import { erasePayer } from '@cobro/service'
import { gatewayPayerData } from '../src/personal-data/gateway-payer-data.ts'
import { type AdminWorld, adminWorld, type Headers } from './admin-calls.ts'
import { token } from './gateway-world.ts'

let world: AdminWorld
beforeAll(async () => {
  world = await adminWorld()
})
afterAll(() => world.stop())

const path = '/api/me/preferences'
const read = async (by: Headers) => (await world.call(by, 'GET', path)).body.data
const change = (by: Headers, body: unknown) => world.call(by, 'PUT', path, body)
const newUser = () => world.makeUser({ role: 'client', merchant_id: world.azul.merchant_id, access: 'viewer' })
const view = (name: string, search = 'status=declined') => ({ list: 'payments', name, search })
const initial = { version: 0, locale: null, theme: 'system', timezone: null, shortcuts: true, views: [] }

describe('the preferences of a user', () => {
  test('have defaults, keep what is set, and are read by no one else', async () => {
    const { headers } = await newUser()
    expect(await read(headers)).toEqual(initial)
    const views = [view('Declined'), { ...view('Declined'), list: 'links' }]
    const first = await change(headers, { version: 0, theme: 'dark', views })
    expect([first.status, first.body.data]).toEqual([200, { ...initial, version: 1, theme: 'dark', views }])
    const second = await change(headers, { version: 1, locale: 'en', timezone: 'UTC', shortcuts: false })
    const changed = { version: 2, locale: 'en', theme: 'dark', timezone: 'UTC', shortcuts: false, views }
    expect([second.body.data, await read(headers)]).toEqual([changed, changed])
    for (const by of [world.asClient, world.asOperator, (await newUser()).headers])
      expect((await read(by)).views).toEqual([])
  })

  test('are for users: keys and strangers are refused', async () => {
    const { key } = (await world.call(world.asClient, 'POST', '/api/api-keys', { name: 'shop' })).body
    for (const [by, status] of [[token(key), 403] as const, [{}, 401] as const]) {
      expect((await world.call(by, 'GET', path)).status).toBe(status)
      expect((await change(by, { version: 0, theme: 'dark' })).status).toBe(status)
    }
  })

  test('are not changed from an older version', async () => {
    const { headers } = await newUser()
    expect((await change(headers, { version: 1, theme: 'dark' })).status).toBe(409)
    await change(headers, { version: 0, theme: 'dark' })
    const { status, body } = await change(headers, { version: 0, theme: 'light' })
    expect([status, body.error]).toEqual([409, 'conflict: version: it is 1 by now, so read the preferences again'])
    expect(await read(headers)).toMatchObject({ version: 1, theme: 'dark' })
  })

  test('take one of several first changes at once', async () => {
    const { headers } = await newUser()
    const names = ['a', 'b', 'c', 'd']
    const answers = await Promise.all(names.map(name => change(headers, { version: 0, views: [view(name)] })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    const made = answers.findIndex(({ status }) => status === 200)
    expect(await read(headers)).toMatchObject({ version: 1, views: [view(names[made] ?? '')] })
  })

  test('end with the user', async () => {
    const { id, headers } = await newUser()
    await change(headers, { version: 0, theme: 'dark' })
    expect((await world.call(world.asOperator, 'DELETE', `/api/users/${id}`)).status).toBe(200)
    const rows = 'select 1 from gateway.user_preferences where user_id = $1'
    expect(await world.database.query(rows, [id])).toEqual([])
  })
})

test.each([
  [{ theme: 'dark' }, 'version: '],
  [{ version: -1 }, 'version: '],
  [{ version: 0, locale: 'fr' }, 'locale: '],
  [{ version: 0, theme: 'blue' }, 'theme: '],
  [{ version: 0, timezone: '+06:00' }, 'timezone: expected the IANA name'],
  [{ version: 0, shortcuts: 'yes' }, 'shortcuts: '],
  [{ version: 0, color: 'blue' }, 'color: '],
  [{ version: 0, views: [{ ...view('x'), list: 'payouts' }] }, 'views.0.list: '],
  [{ version: 0, views: [view('')] }, 'views.0.name: '],
  [{ version: 0, views: [view('x'.repeat(61))] }, 'views.0.name: '],
  [{ version: 0, views: [view('x', '')] }, 'views.0.search: '],
  [{ version: 0, views: [view('x', 'x'.repeat(1001))] }, 'views.0.search: '],
  [{ version: 0, views: [{ ...view('x'), order: 1 }] }, 'views.0.order: '],
  [{ version: 0, views: Array.from({ length: 51 }, (_, n) => view(`${n}`)) }, 'views: '],
  [{ version: 0, views: [view('x'), view('x')] }, 'views: expected different names in a list'],
  [{ version: 0, views: [view('x', 'search=4242424242424242')] }, 'views.0.search: '],
])('%j is refused, with the name of the field', async (body, words) => {
  const answer = await change(world.asClient, body)
  expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(`invalid_request: ${words}`)])
})

test('more than 64 KiB are refused', async () => {
  const views = Array.from({ length: 50 }, (_, n) => view(`${n}`, 'é'.repeat(1000)))
  expect((await change(world.asClient, { version: 0, views })).status).toBe(413)
})

test("saved views that look for a payer's address are found and erased with the payer, and no others", async () => {
  const email = 'saved-payer@cobro.test'
  const { headers } = await newUser()
  const theirs = view('Of a payer', 'status=paid&search=Saved-Payer%40cobro.test')
  const kept = [view('Declined'), view('Of another', 'search=not-saved-payer%40cobro.test')]
  await change(headers, { version: 0, theme: 'dark', views: [kept[0], theirs, kept[1]] })
  const db = openDatabase({ url: world.database.url('gateway'), schema: 'gateway', entities: [] })
  const found = await db.write((tx, emit) => gatewayPayerData.find(tx, emit, email))
  expect(found.saved_views).toEqual([theirs])
  expect((await erasePayer(db, gatewayPayerData, email)).erased).toMatchObject({ saved_views: 1 })
  await db.close()
  expect(await read(headers)).toEqual({ ...initial, version: 2, theme: 'dark', views: kept })
})
