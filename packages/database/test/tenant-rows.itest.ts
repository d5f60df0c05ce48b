import { ApiError, type Caller, type Id, type ListQuery, listQuery, newId, sucursales } from '@cobro/contracts'
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
/** Adds rows a millisecond apart: rows of one millisecond are sorted by their random ids. */
const addInOrder = async (...names: string[]) => {
  for (const [i, name] of names.entries()) await add({ name, created_at: new Date(1e12 + i) })
}
const get = (caller: Caller, id: Id<'suc'>) => db.read(em => getRow(em, BranchEntity, caller, id))
const list = (caller: Caller, query: Partial<ListQuery> = {}) =>
  db.read(em =>
    listRows(
      em,
      BranchEntity,
      caller,
      { limit: 50, offset: 0, order: 'created_at', dir: 'desc', counted: true, filters: {}, ...query },
      { search: ['name', 'phone'] },
    ),
  )
const namesOf = (page: { data: BranchRow[] }) => page.data.map(row => row.name)
const listPosition = (next = '') =>
  listQuery({ order: [], filters: {}, search: false }).parse({ cursor: next || undefined }).after
const codeOf = (failing: Promise<unknown>) =>
  failing.then(
    () => 'no error',
    error => (error instanceof ApiError ? error.message : String(error)),
  )

describe('one row by its id', () => {
  test.each(friends)('a row can be read by its id by %s', async (_who, caller) => {
    const { id } = await add({ name: 'Centro' })
    expect(await get(caller, id)).toMatchObject({ id, name: 'Centro' })
  })

  test.each(strangers)('reading a row by its id is forbidden to %s', async (_who, caller) => {
    const { id } = await add({ name: 'Centro' })
    expect(await codeOf(get(caller, id))).toBe('forbidden')
  })

  test('reading a row that does not exist or is deleted by its id is a 404', async () => {
    const { id } = await add({ name: 'Gone', deleted_at: new Date() })
    expect(await codeOf(get(client(azul), id))).toBe('not_found')
    expect(await codeOf(get(client(roja), id))).toBe('not_found')
    expect(await codeOf(get(client(azul), newId('suc')))).toBe('not_found')
  })

  test('a row without a merchant can only be read by operators of all merchants who name none', async () => {
    const { id } = await add({ name: 'Without merchant', merchant_id: null })
    expect(await get(operator('all'), id)).toMatchObject({ id })
    for (const caller of [operator([azul]), operator([]), operator('all', azul), client(azul)])
      expect(await codeOf(get(caller, id))).toBe('forbidden')
  })

  test('reading a row sets the merchant of the call context, and a forbidden read does not', async () => {
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
  const addAll = async () => {
    await add({ name: 'of Azul' })
    await add({ name: 'of Roja', merchant_id: roja })
    await add({ name: 'without merchant', merchant_id: null })
  }

  test.each<[string, Caller, string[]]>([
    ['a merchant', client(azul), ['of Azul']],
    ['another merchant', client(newId('mrc')), []],
    ['an operator who states one', operator('all', roja), ['of Roja']],
    ['an operator of one', operator([azul]), ['of Azul']],
    ['an operator of two', operator([azul, roja]), ['of Azul', 'of Roja']],
    ['an operator of none', operator([]), []],
    ['an operator of all', operator('all'), ['of Azul', 'of Roja', 'without merchant']],
  ])('the list of %s contains and counts only the rows of its merchants', async (_who, caller, expected) => {
    await addAll()
    const page = await list(caller)
    expect(namesOf(page).sort()).toEqual(expected)
    expect(page.count).toBe(expected.length)
  })

  test('listing rows is forbidden to payers and the acquirer', async () => {
    expect(await codeOf(list({ kind: 'payer' }))).toBe('forbidden')
    expect(await codeOf(list({ kind: 'acquirer' }))).toBe('forbidden')
  })

  test('the pages of a list miss and repeat no rows, even if all rows have the same time', async () => {
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

  test('the range of time of a list includes both of its ends', async () => {
    for (const [name, at] of [
      ['before', '2026-02-27T23:59:59.999Z'],
      ['first', '2026-02-28T00:00:00.000Z'],
      ['last', '2026-03-01T23:59:59.999Z'],
      ['after', '2026-03-02T00:00:00.000Z'],
    ] as const)
      await add({ name, created_at: new Date(at) })
    const within = (from: string, to: string) => ({ from: new Date(from), to: new Date(to) })
    const days = within('2026-02-28', '2026-03-01T23:59:59.999Z')
    expect(namesOf(await list(client(azul), { ...days, dir: 'asc' }))).toEqual(['first', 'last'])
    expect((await list(client(azul), within('0001-01-01', '9999-12-31T23:59:59.999Z'))).count).toBe(4)
  })

  test.each(['asc', 'desc'] as const)(
    'pages by cursor, %s, miss and repeat no rows, even if others come before them',
    async dir => {
      const rows = []
      for (let i = 0; i < 25; i++) rows.push(await add({ name: `no. ${i}`, created_at: new Date(1e12 + (i >> 3)) }))
      const seen: string[] = []
      for (let after: ListQuery['after'] | undefined, pages = 0; pages < 3; pages++) {
        const page = await list(client(azul), { limit: 10, dir, after })
        seen.push(...page.data.map(row => row.id))
        expect([page.count, page.offset, page.next === undefined]).toEqual([25 + pages, 0, pages === 2])
        after = listPosition(page.next)
        // Comes before the page that was read, in the order of the list.
        await add({ name: `new ${pages}`, created_at: new Date(dir === 'asc' ? 1e12 - 1 : 1e12 + 9) })
      }
      const order = rows.toSorted((a, b) => +a.created_at - +b.created_at || (a.id < b.id ? -1 : 1)).map(row => row.id)
      expect(seen).toEqual(dir === 'asc' ? order : order.toReversed())
    },
  )

  test('a page that is found by its ids has a next page, even if a row of it goes before it is read', async () => {
    await addInOrder('Centro', 'Norte', 'Sur')
    const query = { limit: 2, offset: 0, order: 'created_at', dir: 'desc', counted: true, filters: {} } as const
    const orderBy = () => [{ created_at: 'desc' }, { id: 'desc' }]
    const page = await db.read(em => {
      const find = em.find.bind(em)
      em.find = (async (...args: Parameters<typeof find>) => {
        const found = await find(...args)
        await world.query(`delete from transactions.branches where name = 'Norte'`)
        return found
      }) as typeof em.find
      return listRows(em, BranchEntity, client(azul), query, { search: [], orderBy })
    })
    expect(namesOf(page)).toEqual(['Sur'])
    expect(namesOf(await list(client(azul), { after: listPosition(page.next) }))).toEqual(['Centro'])
  })

  test('only a list by time has a next page', async () => {
    for (const name of ['Centro', 'Norte']) await add({ name })
    expect((await list(client(azul), { limit: 1, order: 'name' })).next).toBeUndefined()
    expect((await list(client(azul), { limit: 2 })).next).toBeUndefined()
    expect((await list(client(azul), { limit: 1 })).next).toMatch(/^\d+-suc_/)
  })

  test('a list that is not counted has no count', async () => {
    await add({ name: 'Centro' })
    const page = await list(client(azul), { counted: false })
    expect([namesOf(page), page.count]).toEqual([['Centro'], null])
  })

  test('a filter with several values finds the rows with one of them', async () => {
    await addInOrder('Centro', 'Norte', 'Sur')
    const filters = { name: ['Centro', 'Sur', 'Oeste'] }
    expect(namesOf(await list(client(azul), { filters, dir: 'asc' }))).toEqual(['Centro', 'Sur'])
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
  ])('a list search matches the literal text %j', async (search, expected) => {
    for (const name of ['50% off', 'a_b', 'axb', 'back\\slash', "o'clock", 'árbol', '(paren']) await add({ name })
    await add({ name: 'by phone', phone: '+52 555' })
    expect(namesOf(await list(client(azul), { search }))).toEqual(expected)
  })

  test.each<[string, Record<string, unknown>]>([
    ['an operator', { status: { $ne: 'none' } }],
    ['a list of operators', { status: [{ $ne: 'none' }, { $ne: 'other' }] }],
    ['an operator under another name', { name: { $ilike: '%' } }],
    ['a disjunction', { status: { $or: [{ status: 'active' }] } }],
    ['a regular expression', { name: /./ }],
  ])('a list filter never interprets %s: it finds nothing or fails', async (_what, filters) => {
    await add({ name: 'Centro' })
    const page = await list(client(azul), { filters }).catch(() => ({ count: 0 }))
    expect(page.count).toBe(0)
  })

  test('a list is filtered by equality and only within the tenant', async () => {
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
      mapError: error => (violatesConstraint(error, 'branches_name') ? new ApiError('conflict', 'name') : undefined),
      beforeDelete: async (_tx, row) => {
        if (row.name === 'Kept') throw new ApiError('conflict', 'it is kept')
      },
    })
  const outbox = async () =>
    (await world.query('select name from transactions.outbox order by id')).map(row => row.name as string)

  test('the CRUD operations write a row and its event, or neither', async () => {
    const row = await rows().create(client(azul), { name: 'Centro' })
    expect(row).toMatchObject({ merchant_id: azul, name: 'Centro', status: 'active', phone: null })
    await rows().update(client(azul), row.id, { name: 'Norte', phone: '555' })
    expect(await rows().get(client(azul), row.id)).toMatchObject({ name: 'Norte', phone: '555', status: 'active' })
    await rows().remove(client(azul), row.id)
    expect(await outbox()).toEqual(['sucursal.created', 'sucursal.updated', 'sucursal.deleted'])
    expect(await codeOf(rows().get(client(azul), row.id))).toBe('not_found')
  })

  test.each(strangers)('the CRUD operations reject %s and change nothing', async (_who, caller) => {
    const row = await rows().create(client(azul), { name: 'Centro' })
    expect(await codeOf(rows().update(caller, row.id, { name: 'Stolen' }))).toBe('forbidden')
    expect(await codeOf(rows().remove(caller, row.id))).toBe('forbidden')
    expect(await rows().get(client(azul), row.id)).toMatchObject({ name: 'Centro' })
    expect(await outbox()).toEqual(['sucursal.created'])
  })

  test('the CRUD operations write for the merchant that an operator names and reject an operator who names none', async () => {
    expect((await rows().create(operator('all', azul), { name: 'Centro' })).merchant_id).toBe(azul)
    expect(await codeOf(rows().create(operator('all'), { name: 'Norte' }))).toBe('forbidden')
    expect(await codeOf(rows().create({ kind: 'payer' }, { name: 'Norte' }))).toBe('forbidden')
  })

  test('the CRUD operations map database errors and respect a check that prevents a deletion', async () => {
    const { id } = await rows().create(client(azul), { name: 'Kept' })
    expect(await codeOf(rows().create(client(azul), { name: 'Kept' }))).toBe('conflict: name')
    expect(await codeOf(rows().remove(client(azul), id))).toBe('conflict: it is kept')
    expect(await rows().get(client(azul), id)).toMatchObject({ id })
  })
})
