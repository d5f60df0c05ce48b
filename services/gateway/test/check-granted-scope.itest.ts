import { type AdminWorld, adminWorld, idsOf, newEmail, userCalls } from './admin-calls.ts'

let world: AdminWorld
beforeAll(async () => {
  world = await adminWorld()
})
afterAll(() => world.stop())

const { client, create, change, read, remove, list, issueToken } = userCalls(() => world)

describe('operators of some merchants and users', () => {
  const theirs = () => [world.azul.merchant_id]
  let some: Awaited<ReturnType<AdminWorld['makeOperator']>>
  let ofAll: string
  let ofBoth: string
  let ofRojo: string
  let ofAzul: string
  beforeAll(async () => {
    some = await world.makeOperator(theirs())
    ofAll = (await world.makeOperator('all')).id
    ofBoth = (await world.makeOperator([world.azul.merchant_id, world.rojo.merchant_id])).id
    ofRojo = (await create(client({ merchant_id: world.rojo.merchant_id }))).body.data.id
    ofAzul = (await create(client())).body.data.id
  })

  test('an operator of some merchants creates users within its scope', async () => {
    expect((await create(client(), some.headers)).status).toBe(201)
    const peer = await create({ email: newEmail(), role: 'operator', merchants: theirs() }, some.headers)
    expect([peer.status, peer.body.data.merchants]).toEqual([201, theirs()])
  })

  test.each([
    ['a client of another merchant', () => client({ merchant_id: world.rojo.merchant_id })],
    ['an operator of all', () => ({ email: newEmail(), role: 'operator', merchants: 'all' })],
    ['an operator of another', () => ({ email: newEmail(), role: 'operator', merchants: [world.rojo.merchant_id] })],
    [
      'an operator of more',
      () => ({ email: newEmail(), role: 'operator', merchants: [...theirs(), world.rojo.merchant_id] }),
    ],
  ])('an operator of some merchants cannot create %s', async (_what, body) => {
    const answer = await create(body(), some.headers)
    expect([answer.status, answer.body]).toEqual([403, { error: 'forbidden' }])
  })

  test.each([
    ['an operator of all', () => ofAll],
    ['an operator of more', () => ofBoth],
    ['a client of another merchant', () => ofRojo],
  ])('an operator of some merchants cannot read, change, delete or take over %s', async (_what, id) => {
    const before = (await read(id())).body.data
    const answers = [
      await read(id(), some.headers),
      await change(id(), { name: 'mine' }, some.headers),
      await change(id(), { merchants: theirs() }, some.headers),
      await issueToken(id(), some.headers),
      await remove(id(), some.headers),
    ]
    for (const { status, body } of answers) expect([status, body]).toEqual([403, { error: 'forbidden' }])
    expect((await read(id())).body.data).toEqual(before)
  })

  test('an operator cannot extend the scope of a user beyond its own, nor its own scope', async () => {
    const peer = await world.makeOperator(theirs())
    for (const id of [peer.id, some.id]) {
      for (const merchants of ['all', [...theirs(), world.rojo.merchant_id], [world.rojo.merchant_id]]) {
        expect([403, 409]).toContain((await change(id, { merchants }, some.headers)).status)
      }
      expect((await read(id)).body.data.merchants).toEqual(theirs())
    }
  })

  test('an operator of some merchants lists only the users that it may read', async () => {
    const all = await list('?limit=200')
    const readable: string[] = []
    for (const id of idsOf(all)) if ((await read(id, some.headers)).status === 200) readable.push(id)
    const seen = await list('?limit=200', some.headers)
    expect([idsOf(seen), seen.body.count]).toEqual([readable, readable.length])
    expect(readable).toEqual(expect.arrayContaining([some.id, ofAzul]))
    expect(readable).not.toContain(ofAll)
  })

  test("an operator of all merchants that selects one sees only that merchant's users", async () => {
    const selecting = { ...world.asOperator, 'x-merchant-id': world.azul.merchant_id }
    expect(idsOf(await list('?limit=200', selecting))).toEqual(idsOf(await list('?limit=200', some.headers)))
    expect((await read(ofRojo, selecting)).status).toBe(403)
    expect((await create(client({ merchant_id: world.rojo.merchant_id }), selecting)).status).toBe(403)
    const byQuery = await list(`?merchant_id=${world.rojo.merchant_id}&role=client&limit=200`)
    expect(new Set(byQuery.body.data.map((one: { merchant_id: string }) => one.merchant_id))).toEqual(
      new Set([world.rojo.merchant_id]),
    )
  })
})
