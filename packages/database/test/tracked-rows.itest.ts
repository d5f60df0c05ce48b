import { type Id, newId } from '@cobro/contracts'
import { violatesConstraint } from '../src/database-errors.ts'
import { findRow, findRows, mapRow } from '../src/find-row.ts'
import { assignRow, newRow, updateRow } from '../src/new-row.ts'
import type { Database } from '../src/open-database.ts'
import type { Tx } from '../src/transaction.ts'
import { type BranchDatabase, BranchEntity, type BranchRow, branchDatabase } from './branch-database.ts'

let world: BranchDatabase
let db: Database
beforeAll(async () => {
  world = await branchDatabase()
  db = world.open()
})
afterAll(() => world.stop())
beforeEach(() => world.query('truncate transactions.branches'))

const add = (tx: Tx, name: string, more: Partial<BranchRow> = {}) =>
  newRow(tx, BranchEntity, { id: newId('suc'), merchant_id: newId('mrc'), name, ...more })
const stored = async (name: string) =>
  (await world.query('select *, xmin::text from transactions.branches where name = $1', [name]))[0]
const added = (name: string, more: Partial<BranchRow> = {}) => db.write(async tx => add(tx, name, more))

async function locked(tx: Tx, id: Id<'suc'>): Promise<BranchRow> {
  const row = await findRow(tx, BranchEntity, { id }, { lock: true })
  if (!row) throw new Error('The row is missing.')
  return row
}

test('a row is one object in its transaction, with the values of the last read', async () => {
  const { id } = await added('Centro')
  await db.write(async tx => {
    const row = await locked(tx, id)
    row.name = 'unsaved'
    const [again] = await findRows(tx, BranchEntity, 'id = ?', [id])
    expect(again).toBe(row)
    expect(row.name).toBe('Centro')
    const [data] = await tx.execute<object[]>("update transactions.branches set name = 'Sur' returning *")
    expect(mapRow(tx, BranchEntity, data ?? {})).toBe(row)
    expect(row.name).toBe('Sur')
  })
})

test('a row that is created is the one that is found after the flush', async () => {
  await db.write(async tx => {
    const row = add(tx, 'Centro')
    expect(await findRow(tx, BranchEntity, { id: row.id })).toBeNull()
    await tx.flush()
    expect(await findRow(tx, BranchEntity, { id: row.id })).toBe(row)
    row.name = 'Norte'
  })
  expect(await stored('Norte')).toMatchObject({ status: 'active', balance_cents: '0' })
})

test('changes within a value are written, and equal values are not', async () => {
  const row = await added('Centro', { hours: { opens: '09:00', days: [1] }, tags: ['a'] })
  const before = await stored('Centro')
  await db.write(async tx => {
    const same = {
      hours: { days: [1], opens: '09:00' },
      tags: ['a'],
      created_at: new Date(row.created_at),
      phone: null,
    }
    assignRow(await locked(tx, row.id), same)
  })
  expect(await stored('Centro')).toEqual(before)
  await db.write(async tx => {
    const found = await locked(tx, row.id)
    found.hours?.days.push(2)
    found.tags?.push('b')
    found.created_at.setUTCFullYear(2020)
  })
  const after = await stored('Centro')
  expect([after.hours.days, after.tags, after.created_at.getUTCFullYear()]).toEqual([[1, 2], ['a', 'b'], 2020])
})

test('a change sets the columns that each change sets', async () => {
  const { id, updated_at } = await added('Centro', { updated_at: new Date('2026-01-01T00:00:00Z') })
  const changed = await db.write(async tx => Object.assign(await locked(tx, id), { phone: '55' }))
  expect(changed.updated_at.getTime()).toBe((await stored('Centro')).updated_at.getTime())
  expect(changed.updated_at.getTime()).toBeGreaterThan(updated_at.getTime())
})

test('many changes are few statements, each of one value', async () => {
  const rows = await db.write(async tx => ['A', 'B', 'C'].map(name => add(tx, name, { phone: name })))
  await db.write(async tx => {
    const found = await findRows(tx, BranchEntity, 'id = any(?) for update', [`{${rows.map(({ id }) => id).join()}}`])
    for (const row of found) assignRow(row, { notes: `${row.phone} "'`, order: row.name === 'B' ? null : 1 })
  })
  const all = await world.query('select name, phone, notes, "order" from transactions.branches order by name')
  expect(all).toEqual(
    ['A', 'B', 'C'].map(name => ({ name, phone: name, notes: `${name} "'`, order: name === 'B' ? null : 1 })),
  )
})

test('a flush shows what a constraint rejects', async () => {
  const { merchant_id } = await added('Centro')
  const failing = db.write(async tx => {
    add(tx, 'Centro', { merchant_id })
    await tx.flush()
    throw new Error('too late')
  })
  expect(violatesConstraint(await failing.catch(error => error), 'branches_name')).toBe(true)
})

test('flushes at the same time write one after the other', async () => {
  const { id } = await added('Centro')
  await db.write(async tx => {
    assignRow(await locked(tx, id), { phone: '55' })
    add(tx, 'Norte')
    const first = tx.flush()
    await tx.flush()
    expect(await tx.execute('select phone from transactions.branches where id = ?', [id])).toEqual([{ phone: '55' }])
    await first
  })
})

test('nothing is committed after a flush that failed', async () => {
  const unsent = {
    toJSON() {
      throw new Error('not sent')
    },
  }
  const failing = db.write(async tx => {
    add(tx, 'Centro', { phone: unsent as never })
    await expect(tx.flush()).rejects.toThrow('not sent')
    add(tx, 'Norte')
  })
  await expect(failing).rejects.toThrow('not sent')
  expect(await stored('Norte')).toBeUndefined()
})

test('a row is changed without a read', async () => {
  const { id, merchant_id } = await added('Centro')
  await db.write(async tx => updateRow(tx, BranchEntity, { id }, { phone: '55', notes: null }))
  expect(await stored('Centro')).toMatchObject({ id, merchant_id, phone: '55', status: 'active' })
  await db.write(async tx => {
    const row = await locked(tx, id)
    updateRow(tx, BranchEntity, { id }, { phone: '66' })
    expect(row.phone).toBe('66')
  })
  expect(await stored('Centro')).toMatchObject({ phone: '66' })
  await db.write(async tx => updateRow(tx, BranchEntity, { id: add(tx, 'Norte').id }, { phone: '77' }))
  expect(await stored('Norte')).toMatchObject({ phone: '77' })
})

describe('beside MikroORM', () => {
  test('its queries see new and changed rows', async () => {
    const { id } = await added('Centro')
    await db.write(async tx => {
      assignRow(await locked(tx, id), { name: 'Norte' })
      expect(await tx.count(BranchEntity, { name: 'Norte' })).toBe(1)
      add(tx, 'Sur')
      expect((await tx.find(BranchEntity, {}, { orderBy: { name: 'asc' } })).map(({ name }) => name)).toEqual([
        'Norte',
        'Sur',
      ])
    })
  })

  test('a row that it has loaded stays its own', async () => {
    const { id } = await added('Centro')
    await db.write(async tx => {
      const entity = await tx.findOneOrFail(BranchEntity, { id })
      expect(await locked(tx, id)).toBe(entity)
      tx.assign(entity, { name: 'Norte' })
    })
    expect(await stored('Norte')).toMatchObject({ id })
  })

  test('a row and its copy cannot both be changed', async () => {
    const { id } = await added('Centro')
    const failing = db.write(async tx => {
      const row = await locked(tx, id)
      const copy = await tx.findOneOrFail(BranchEntity, { id })
      expect(copy).not.toBe(row)
      row.phone = '55'
      copy.phone = '66'
    })
    await expect(failing).rejects.toThrow("A row of transactions.branches and MikroORM's copy were changed.")
    await db.write(async tx => {
      const row = await locked(tx, id)
      await tx.findOneOrFail(BranchEntity, { id })
      row.phone = '55'
    })
    expect(await stored('Centro')).toMatchObject({ phone: '55' })
  })

  test('its methods for entities reject the rows', async () => {
    const { id } = await added('Centro')
    for (const use of [
      (tx: Tx, row: BranchRow) => tx.assign(row, { name: 'Sur' }),
      (tx: Tx, row: BranchRow) => tx.remove(row),
    ])
      await expect(db.write(async tx => void use(tx, await locked(tx, id)))).rejects.toThrow()
    expect(await stored('Centro')).toMatchObject({ id })
  })

  test('a transaction forgets its rows with those of MikroORM', async () => {
    const { id } = await added('Centro')
    await db.write(async tx => {
      const row = await locked(tx, id)
      row.name = 'Norte'
      add(tx, 'Sur')
      tx.clear()
    })
    expect([(await stored('Centro')).id, await stored('Norte'), await stored('Sur')]).toEqual([
      id,
      undefined,
      undefined,
    ])
  })
})

test('outside of a transaction, rows are plain objects that are never written', async () => {
  const { id } = await added('Centro')
  await db.read(async em => {
    const row = await findRow(em, BranchEntity, { id })
    expect(row).not.toBe(await findRow(em, BranchEntity, { id }))
    Object.assign(row ?? {}, { name: 'Norte' })
    expect(await em.count(BranchEntity, { name: 'Norte' })).toBe(0)
  })
  expect(() => add(db.orm.em.fork(), 'Sur')).toThrow('in a transaction only')
})

test('a retry after a deadlock starts without the rows of the try before', async () => {
  const { id } = await added('Centro')
  let tries = 0
  await db.write(async tx => {
    const row = await locked(tx, id)
    row.order = (row.order ?? 0) + 1
    add(tx, `try ${++tries}`)
    if (tries === 1) throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
  })
  expect([(await stored('Centro')).order, await stored('try 1'), tries]).toEqual([1, undefined, 2])
  expect(await stored('try 2')).toBeDefined()
})

test('writes of a shared transaction share its rows', async () => {
  const { id } = await added('Centro')
  const nothing = { onBegin: async () => undefined, beforeCommit: async () => undefined }
  await db.withSharedTransaction(async () => {
    const first = await db.write(async tx => Object.assign(await locked(tx, id), { name: 'Norte' }))
    expect(await db.read(em => findRow(em, BranchEntity, { id }))).toBe(first)
    expect((await stored('Norte')) ?? 'not committed').toBe('not committed')
    await db.write(async tx => void Object.assign(await locked(tx, id), { order: 3 }))
  }, nothing)
  expect(await stored('Norte')).toMatchObject({ id, order: 3 })
})

test('a row that is created under the key of a deleted one is written as the new one', async () => {
  const { id } = await added('Centro')
  await db.write(async tx => {
    const row = await locked(tx, id)
    row.phone = 'unsaved'
    await tx.nativeDelete(BranchEntity, { id })
    const again = add(tx, 'Sur', { id })
    await tx.flush()
    again.phone = '2'
  })
  expect(await stored('Sur')).toMatchObject({ id, phone: '2' })
})

test('a lazy column that another statement has changed is not written back', async () => {
  await db.write(async tx => {
    const row = add(tx, 'Centro', { notes: 'first' })
    await tx.flush()
    await tx.execute("update transactions.branches set notes = 'second'")
    await locked(tx, row.id)
  })
  expect(await stored('Centro')).toMatchObject({ notes: 'second' })
})

test('a row that MikroORM has loaded is changed in its own copy', async () => {
  const { id } = await added('Centro')
  await db.write(async tx => {
    const row = await tx.findOneOrFail(BranchEntity, { id })
    updateRow(tx, BranchEntity, { id }, { phone: '1' })
    expect(row.phone).toBe('1')
  })
  expect(await stored('Centro')).toMatchObject({ phone: '1' })
})
