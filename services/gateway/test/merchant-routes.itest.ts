import { newId } from '@cobro/contracts'
import { waitFor } from '@cobro/testing'
import { type AdminWorld, adminWorld, eventsOf, newEmail } from './admin-calls.ts'
import { token, withinASecond } from './gateway-world.ts'

let world: AdminWorld
beforeAll(async () => {
  world = await adminWorld()
})
afterAll(() => world.stop())

const path = '/api/merchants'
const sample = { name: 'Café Verde', legal_name: 'Café Verde SA de CV' }
const create = (body: unknown = sample, headers = world.asOperator) => world.call(headers, 'POST', path, body)
const change = (id: string, body: unknown, headers = world.asOperator) =>
  world.call(headers, 'PUT', `${path}/${id}`, body)
const read = (id: string, headers = world.asOperator) => world.call(headers, 'GET', `${path}/${id}`)
const remove = (id: string, headers = world.asOperator) => world.call(headers, 'DELETE', `${path}/${id}`)
const list = (query = '', headers = world.asOperator) => world.call(headers, 'GET', `${path}${query}`)
const namesOf = (answer: { body: { data: { name: string }[] } }) => answer.body.data.map(({ name }) => name)

describe('creating a merchant', () => {
  test('creates a merchant as active, Mexican, in MXN and in the time zone of Mexico City by default', async () => {
    const answer = await create()
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        data: {
          id: expect.stringMatching(/^mrc_/),
          ...sample,
          rfc: null,
          country: 'MX',
          currency: 'MXN',
          timezone: 'America/Mexico_City',
          payer_receipts: false,
          status: 'active',
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          updated_at: answer.body.data.created_at,
        },
      },
    ])
    expect((await read(answer.body.data.id)).body).toEqual(answer.body)
  })

  test('creates a merchant with the given values', async () => {
    const place = { country: 'US', currency: 'USD', timezone: 'America/Tijuana', payer_receipts: true }
    const described = { ...sample, rfc: 'CVE010203AB4', ...place, status: 'disabled' }
    expect((await create(described)).body.data).toMatchObject(described)
  })

  test('creates a merchant once under one Idempotency-Key', async () => {
    const name = 'Once'
    const headers = { ...world.asOperator, 'idempotency-key': 'merchant-once' }
    const answers = await Promise.all(Array.from({ length: 10 }, () => create({ ...sample, name }, headers)))
    expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([])
    const replay = await create({ ...sample, name }, headers)
    expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    expect((await list(`?name=${name}`)).body.count).toBe(1)
  })
})

test.each(['CVE010203AB4', 'ÑA&991231000', 'GODE561231GR8', 'XAXX010101000', 'XEXX010101000', null])(
  'accepts the RFC %s of a merchant',
  async rfc => {
    expect((await create({ ...sample, rfc })).body.data.rfc).toBe(rfc)
  },
)

test.each([
  ['no name', { name: undefined }, 'name: required'],
  ['an empty name', { name: '' }, 'name'],
  ['a long name', { name: 'x'.repeat(101) }, 'name'],
  ['a number for a name', { name: 5 }, 'name'],
  ['no legal name', { legal_name: undefined }, 'legal_name: required'],
  ['an RFC in lower case', { rfc: 'cve010203ab4' }, 'rfc: expected an RFC'],
  ['an RFC of eleven characters', { rfc: 'CVE010203AB' }, 'rfc'],
  ['an RFC of fourteen characters', { rfc: 'GODE561231GR88' }, 'rfc'],
  ['an RFC of the thirteenth month', { rfc: 'CVE011303AB4' }, 'rfc'],
  ['an RFC of the day 32', { rfc: 'CVE010232AB4' }, 'rfc'],
  ['an RFC whose check is a letter', { rfc: 'CVE010203ABB' }, 'rfc'],
  ['an RFC with a trailing line break', { rfc: 'CVE010203AB4\n' }, 'rfc'],
  ['an unknown country', { country: 'ZZ' }, 'country: expected an ISO 3166 code'],
  ['the name of a country', { country: 'Mexico' }, 'country'],
  ['a currency that the deployment does not accept', { currency: 'EUR' }, 'currency: expected one of MXN, USD'],
  ['an unknown time zone', { timezone: 'America/Springfield' }, 'timezone: expected the IANA name'],
  ['an offset for a time zone', { timezone: '-06:00' }, 'timezone'],
  ['no currency', { currency: null }, 'currency'],
  ['an unknown status', { status: 'closed' }, 'status'],
  ['an id of its own', { id: newId('mrc') }, 'id: unknown field'],
  ['a version', { version: 9 }, 'version: unknown field'],
  ['a card number', { name: '4242 4242 4242 4242' }, 'card numbers are not accepted'],
])('rejects a merchant with %s', async (_what, fault, words) => {
  const id = await world.makeMerchant()
  const answers = [await create({ ...sample, ...fault }), await change(id, fault)]
  const rejected = Object.values(fault)[0] === undefined ? answers.slice(0, 1) : answers
  for (const { status, body } of rejected) expect([status, body.error]).toEqual([400, expect.stringContaining(words)])
})

describe('updating a merchant', () => {
  test('changes the given fields of a merchant, with an event and a version each time', async () => {
    const id = await world.makeMerchant({ rfc: 'CVE010203AB4' })
    const before = (await read(id)).body.data
    const renamed = await change(id, { name: 'Café Morado' })
    expect([renamed.status, renamed.body.data]).toEqual([
      200,
      { ...before, name: 'Café Morado', updated_at: expect.any(String) },
    ])
    expect(renamed.body.data.updated_at > before.updated_at).toBe(true)
    expect((await change(id, { rfc: null, status: 'disabled' })).body.data).toMatchObject({
      rfc: null,
      status: 'disabled',
    })
    await waitFor(() => eventsOf(world, id).length === 3)
    const about = { merchant_id: id, actor: { type: 'operator' } }
    expect(eventsOf(world, id)).toMatchObject([
      { name: 'merchant.created', ...about, data: { id, name: 'Café Verde', status: 'active', version: 1 } },
      { name: 'merchant.updated', ...about, data: { id, name: 'Café Morado', status: 'active', version: 2 } },
      { name: 'merchant.updated', ...about, data: { id, name: 'Café Morado', status: 'disabled', version: 3 } },
    ])
  })

  test('an update of a merchant without changes emits no event and keeps updated_at', async () => {
    const id = await world.makeMerchant()
    const before = (await read(id)).body.data
    for (const body of [{}, sample, { rfc: null, status: 'active' }]) {
      expect((await change(id, body)).body.data).toEqual(before)
    }
    await change(id, { name: 'Other' })
    await waitFor(() => eventsOf(world, id).length > 1)
    expect(eventsOf(world, id).map(({ data }) => data.version)).toEqual([1, 2])
  })

  test('concurrent updates of a merchant each get a version of their own', async () => {
    const id = await world.makeMerchant()
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => change(id, { name: `Name ${i}` })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    await waitFor(() => eventsOf(world, id).length === 9)
    const versions = eventsOf(world, id).map(({ data }) => data.version)
    expect(versions.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  })
})

test('searches, filters and orders merchants', async () => {
  await world.makeMerchant({ name: 'Zapatería Alfa', legal_name: 'Grupo Único SA', rfc: 'GUN990101AA1' })
  await world.makeMerchant({ name: 'Zapatería Beta', status: 'disabled' })
  expect(namesOf(await list('?search=zapater&order=name&dir=asc'))).toEqual(['Zapatería Alfa', 'Zapatería Beta'])
  expect(namesOf(await list('?search=grupo'))).toEqual(['Zapatería Alfa'])
  expect(namesOf(await list('?search=GUN99'))).toEqual(['Zapatería Alfa'])
  expect(namesOf(await list('?search=zapater&status=disabled'))).toEqual(['Zapatería Beta'])
  const paged = await list('?limit=1&page=2&search=zapater')
  expect([namesOf(paged), paged.body.count]).toEqual([['Zapatería Alfa'], 2])
  for (const query of ['?order=version', '?deleted_at=1', '?status[$ne]=active', '?limit=0']) {
    expect((await list(query)).status).toBe(400)
  }
})

describe('operators and their merchants', () => {
  test('an operator of some merchants sees and changes only those', async () => {
    const [mine, other] = [await world.makeMerchant(), await world.makeMerchant()]
    const { headers } = await world.makeOperator([mine, world.azul.merchant_id])
    const seen = await list('?order=created_at&dir=desc', headers)
    expect([seen.body.count, seen.body.data.map(({ id }: { id: string }) => id)]).toEqual([
      2,
      [mine, world.azul.merchant_id],
    ])
    expect((await read(mine, headers)).status).toBe(200)
    expect((await change(mine, { name: 'Mine' }, headers)).status).toBe(200)
    for (const answer of [await read(other, headers), await change(other, { name: 'Mine' }, headers)]) {
      expect([answer.status, answer.body]).toEqual([403, { error: 'forbidden' }])
    }
    expect((await read(newId('mrc'), headers)).status).toBe(404)
    expect((await read(other)).body.data.name).toBe(sample.name)
  })

  test('an operator of some merchants can neither create nor delete merchants', async () => {
    const mine = await world.makeMerchant()
    const { headers } = await world.makeOperator([mine])
    for (const answer of [await create(sample, headers), await remove(mine, headers)]) {
      expect([answer.status, answer.body]).toEqual([403, { error: 'forbidden' }])
    }
  })

  test('an operator of all merchants that selects one acts for that one only', async () => {
    const selecting = { ...world.asOperator, 'x-merchant-id': world.azul.merchant_id }
    expect(namesOf(await list('', selecting))).toEqual(['Café Azul'])
    expect((await read(world.azul.merchant_id, selecting)).status).toBe(200)
    expect((await read(world.rojo.merchant_id, selecting)).status).toBe(403)
  })
})

test('denies merchant operations to every caller but operators', async () => {
  const id = await world.makeMerchant()
  for (const [headers, expected] of [
    [world.asClient, 403],
    [token(world.azul.key), 403],
    [{}, 401],
  ] as const) {
    const who = headers as Record<string, string>
    const answers = [list('', who), read(id, who), create(sample, who), change(id, { name: 'x' }, who), remove(id, who)]
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(5).fill(expected))
  }
})

test.each(['mrc_nonsense', 'nonsense', newId('mrc'), newId('usr')])(
  'returns 404 for the nonexistent merchant %s',
  async id => {
    const answers = [await read(id), await change(id, {}), await remove(id)]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
  },
)

describe('deleting a merchant', () => {
  test('hides a deleted merchant that was never used and keeps its row', async () => {
    const id = await world.makeMerchant({ name: 'Mistaken' })
    const answer = await remove(id)
    expect([answer.status, answer.body]).toEqual([200, { data: { id, deleted: true } }])
    expect([(await read(id)).status, (await remove(id)).status, (await change(id, { name: 'x' })).status]).toEqual([
      404, 404, 404,
    ])
    expect((await list('?name=Mistaken')).body.count).toBe(0)
    const [row] = await world.database.query('select name, status from gateway.merchants where id = $1', [id])
    expect(row).toEqual({ name: 'Mistaken', status: 'disabled' })
    await waitFor(() => eventsOf(world, id).length === 2)
    expect(eventsOf(world, id)[1]).toMatchObject({
      name: 'merchant.deleted',
      data: { id, name: 'Mistaken', status: 'disabled', version: 2 },
    })
    await withinASecond(403, () => list('', { ...world.asOperator, 'x-merchant-id': id }))
  })

  const inUse: [string, (id: string) => Promise<unknown>][] = [
    [
      'an API key',
      id => world.call({ ...world.asOperator, 'x-merchant-id': id }, 'POST', '/api/api-keys', { name: 'x' }),
    ],
    [
      'a revoked API key',
      async id => {
        const selecting = { ...world.asOperator, 'x-merchant-id': id }
        const { body } = await world.call(selecting, 'POST', '/api/api-keys', { name: 'x' })
        await world.call(selecting, 'DELETE', `/api/api-keys/${body.id}`)
      },
    ],
    ['a client', id => world.makeUser({ role: 'client', merchant_id: id })],
    ['an operator with it in the list', id => world.makeOperator([world.azul.merchant_id, id])],
  ]
  test.each(inUse)('rejects deleting a merchant that has %s with 409', async (_what, use) => {
    const id = await world.makeMerchant()
    await use(id)
    const answer = await remove(id)
    expect([answer.status, answer.body.error]).toEqual([409, expect.stringContaining('disable it instead')])
    expect((await read(id)).body.data.status).toBe('active')
  })

  test('never deletes a merchant while a user is created for it', async () => {
    for (let round = 0; round < 8; round++) {
      const id = await world.makeMerchant()
      const user = { email: newEmail(), role: 'client', merchant_id: id }
      const [made, gone] = await Promise.all([world.call(world.asOperator, 'POST', '/api/users', user), remove(id)])
      expect([
        [201, 409],
        [403, 200],
      ]).toContainEqual([made.status, gone.status])
    }
  })
})
