import { ApiError, type Caller, type ListQuery, newId, sucursales } from '@cobro/contracts'
import { currentCall, withCallContext } from '@cobro/runtime'
import { violatesConstraint } from '../src/database-errors.ts'
import { newRow } from '../src/new-row.ts'
import type { Database } from '../src/open-database.ts'
import { getRow, listRows, tenantRows } from '../src/tenant-rows.ts'
import {
  type BranchDatabase,
  BranchEntity,
  type BranchRow,
  branchDatabase,
  client,
  operator,
} from './branch-database.ts'

const [azul, roja] = [newId('mrc'), newId('mrc')]
const strangers: [string, Caller][] = [
  ['a user of another merchant', client(newId('mrc'))],
  ['an operator of others', operator([roja])],
  ['an operator of none', operator([])],
  ['an operator of all who states another', operator('all', roja)],
  ['an operator of both who states the other', operator([azul, roja], roja)],
  ['a payer', { kind: 'payer' }],
  ['the acquirer', { kind: 'acquirer' }],
]
const friends: [string, Caller][] = [
  ['a user of the merchant', client(azul)],
  ['an operator of all', operator('all')],
  ['an operator of both', operator([roja, azul])],
  ['an operator of all who states the merchant', operator('all', azul)],
]

let world: BranchDatabase
let db: Database
beforeAll(async () => {
  world = await branchDatabase()
  db = world.open()
})
afterAll(() => world.stop())
beforeEach(() => world.query('truncate transactions.branches, transactions.outbox'))

const add = (fields: Partial<BranchRow> & { name: string }) =>
  db.write(async tx => newRow(tx, BranchEntity, { id: newId('suc'), merchant_id: azul, ...fields } as BranchRow))
const get = (caller: Caller, id: string) => db.read(em => getRow(em, BranchEntity, caller, id))
const list = (caller: Caller, query: Partial<ListQuery> = {}) =>
  db.read(em =>
    listRows(
      em,
      BranchEntity,
      caller,
      { limit: 50, offset: 0, order: 'created_at', dir: 'desc', filters: {}, ...query },
      { search: ['name', 'phone'] },
    ),
  )
const namesOf = (page: { data: BranchRow[] }) => page.data.map(row => row.name)
const codeOf = (failing: Promise<unknown>) =>
  failing.then(
    () => 'no error',
    error => (error instanceof ApiError ? error.message : String(error)),
  )

describe('one row by its id', () => {
  test.each(friends)('is read by %s', async (_who, caller) => {
    const { id } = await add({ name: 'Centro' })
    expect(await get(caller, id)).toMatchObject({ id, name: 'Centro' })
  })

  test.each(strangers)('is forbidden to %s, who is told no more than that', async (_who, caller) => {
    const { id } = await add({ name: 'Centro' })
    expect(await codeOf(get(caller, id))).toBe('forbidden')
  })

  test('is not found where there is none, or it has been deleted', async () => {
    const { id } = await add({ name: 'Gone', deleted_at: new Date() })
    expect(await codeOf(get(client(azul), id))).toBe('not_found')
    expect(await codeOf(get(client(roja), id))).toBe('not_found')
    expect(await codeOf(get(client(azul), newId('suc')))).toBe('not_found')
  })

  test('of no merchant is shown only to operators of all who state none', async () => {
    const { id } = await add({ name: 'Nobody', merchant_id: null })
    expect(await get(operator('all'), id)).toMatchObject({ id })
    for (const caller of [operator([azul]), operator([]), operator('all', azul), client(azul)])
      expect(await codeOf(get(caller, id))).toBe('forbidden')
  })

  test('says which merchant the call is about, and does not where it is refused', async () => {
    const { id } = await add({ name: 'Centro' })
    const learnt = (caller: Caller) =>
      withCallContext({}, async () => {
        await get(caller, id).catch(() => undefined)
        return currentCall().merchant_id
      })
    expect([await learnt(operator('all')), await learnt(client(roja))]).toEqual([azul, null])
  })
})

describe('a list', () => {
  const everybody = async () => {
    await add({ name: 'of Azul' })
    await add({ name: 'of Roja', merchant_id: roja })
    await add({ name: 'of nobody', merchant_id: null })
  }

  test.each<[string, Caller, string[]]>([
    ['a merchant', client(azul), ['of Azul']],
    ['another merchant', client(newId('mrc')), []],
    ['an operator who states one', operator('all', roja), ['of Roja']],
    ['an operator of one', operator([azul]), ['of Azul']],
    ['an operator of two', operator([azul, roja]), ['of Azul', 'of Roja']],
    ['an operator of none', operator([]), []],
    ['an operator of all', operator('all'), ['of Azul', 'of Roja', 'of nobody']],
  ])('of %s holds what is its, and counts no more', async (_who, caller, expected) => {
    await everybody()
    const page = await list(caller)
    expect(namesOf(page).sort()).toEqual(expected)
    expect(page.count).toBe(expected.length)
  })

  test('is forbidden to payers and the acquirer', async () => {
    expect(await codeOf(list({ kind: 'payer' }))).toBe('forbidden')
    expect(await codeOf(list({ kind: 'acquirer' }))).toBe('forbidden')
  })

  test('comes in pages that miss nothing and repeat nothing, also where all rows are of one moment', async () => {
    const created_at = new Date()
    const ids: string[] = []
    for (let i = 0; i < 25; i++) ids.push((await add({ name: `no. ${i}`, created_at })).id)
    const seen: string[] = []
    for (let offset = 0; offset < 25; offset += 10) {
      const page = await list(client(azul), { limit: 10, offset })
      expect([page.count, page.limit, page.offset]).toEqual([25, 10, offset])
      seen.push(...page.data.map(row => row.id))
    }
    expect(seen).toEqual(ids.toSorted().toReversed())
  })

  test('covers whole days, both ends included, in UTC', async () => {
    for (const [name, at] of [
      ['before', '2026-02-27T23:59:59.999Z'],
      ['first', '2026-02-28T00:00:00.000Z'],
      ['last', '2026-03-01T23:59:59.999Z'],
      ['after', '2026-03-02T00:00:00.000Z'],
    ] as const)
      await add({ name, created_at: new Date(at) })
    expect(namesOf(await list(client(azul), { from: '2026-02-28', to: '2026-03-01', dir: 'asc' }))).toEqual([
      'first',
      'last',
    ])
    expect((await list(client(azul), { from: '0001-01-01', to: '9999-12-31' })).count).toBe(4)
  })

  test.each([
    ['50%', ['50% off']],
    ['%', ['50% off']],
    ['_', ['a_b']],
    ['\\', ['back\\slash']],
    ["o'c", ["o'clock"]],
    ['ÁRBOL', ['árbol']],
    ['555', ['by phone']],
    ['(', ['(paren']],
    ["' or true --", []],
    ['a.b', []],
  ])('is searched for the very text %j', async (search, expected) => {
    for (const name of ['50% off', 'a_b', 'axb', 'back\\slash', "o'clock", 'árbol', '(paren']) await add({ name })
    await add({ name: 'by phone', phone: '+52 555' })
    expect(namesOf(await list(client(azul), { search }))).toEqual(expected)
  })

  test.each<[string, Record<string, unknown>]>([
    ['an operator', { status: { $ne: 'none' } }],
    ['a list', { status: ['active', 'inactive'] }],
    ['an operator under another name', { name: { $ilike: '%' } }],
    ['a disjunction', { status: { $or: [{ status: 'active' }] } }],
    ['a regular expression', { name: /./ }],
  ])('never reads %s in a filter: it finds nothing or fails', async (_what, filters) => {
    await add({ name: 'Centro' })
    const page = await list(client(azul), { filters }).catch(() => ({ count: 0 }))
    expect(page.count).toBe(0)
  })

  test('is filtered by equality, never beyond the tenant', async () => {
    await add({ name: 'Centro', status: 'inactive' })
    await add({ name: 'Centro', merchant_id: roja })
    expect(namesOf(await list(client(azul), { filters: { name: 'Centro', status: 'inactive' } }))).toEqual(['Centro'])
    expect((await list(client(azul), { filters: { name: 'Centro', status: 'active' } })).count).toBe(0)
    expect((await list(client(azul), { filters: { merchant_id: roja } })).count).toBe(0)
  })
})

describe('the five operations', () => {
  const rows = () =>
    tenantRows(db, {
      resource: { ...sucursales, update: sucursales.update.omit({ address: true }) },
      entity: BranchEntity,
      events: { created: 'sucursal.created', updated: 'sucursal.updated', deleted: 'sucursal.deleted' },
      refusal: error => (violatesConstraint(error, 'branches_name') ? new ApiError('conflict', 'name') : undefined),
      beforeDelete: async (_tx, row) => {
        if (row.name === 'Kept') throw new ApiError('conflict', 'it is kept')
      },
    })
  const outbox = async () =>
    (await world.query('select name from transactions.outbox order by id')).map(row => row.name as string)

  test('write a row and its event, or neither', async () => {
    const row = await rows().create(client(azul), { name: 'Centro' })
    expect(row).toMatchObject({ merchant_id: azul, name: 'Centro', status: 'active', phone: null })
    await rows().update(client(azul), row.id, { name: 'Norte', phone: '555' })
    expect(await rows().get(client(azul), row.id)).toMatchObject({ name: 'Norte', phone: '555', status: 'active' })
    await rows().remove(client(azul), row.id)
    expect(await outbox()).toEqual(['sucursal.created', 'sucursal.updated', 'sucursal.deleted'])
    expect(await codeOf(rows().get(client(azul), row.id))).toBe('not_found')
  })

  test.each(strangers)('refuse %s and change nothing', async (_who, caller) => {
    const row = await rows().create(client(azul), { name: 'Centro' })
    expect(await codeOf(rows().update(caller, row.id, { name: 'Stolen' }))).toBe('forbidden')
    expect(await codeOf(rows().remove(caller, row.id))).toBe('forbidden')
    expect(await rows().get(client(azul), row.id)).toMatchObject({ name: 'Centro' })
    expect(await outbox()).toEqual(['sucursal.created'])
  })

  test('write for the merchant that an operator states, and for none where it states none', async () => {
    expect((await rows().create(operator('all', azul), { name: 'Centro' })).merchant_id).toBe(azul)
    expect(await codeOf(rows().create(operator('all'), { name: 'Norte' }))).toBe('forbidden')
    expect(await codeOf(rows().create({ kind: 'payer' }, { name: 'Norte' }))).toBe('forbidden')
  })

  test("tell a refusal of the table in the resource's own words, and respect what forbids a deletion", async () => {
    const { id } = await rows().create(client(azul), { name: 'Kept' })
    expect(await codeOf(rows().create(client(azul), { name: 'Kept' }))).toBe('conflict: name')
    expect(await codeOf(rows().remove(client(azul), id))).toBe('conflict: it is kept')
    expect(await rows().get(client(azul), id)).toMatchObject({ id })
  })
})
