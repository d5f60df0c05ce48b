import { newId } from '@cobro/contracts'
import { findRow, findRows } from '../src/find-row.ts'
import { newRow } from '../src/new-row.ts'
import type { Database } from '../src/open-database.ts'
import { type BranchDatabase, BranchEntity, branchDatabase } from './branch-database.ts'

let world: BranchDatabase
let db: Database
beforeAll(async () => {
  world = await branchDatabase()
  db = world.open()
})
afterAll(() => world.stop())

const addBranch = (name: string) =>
  db.write(async tx =>
    newRow(tx, BranchEntity, {
      ...{ id: newId('suc'), merchant_id: newId('mrc'), name, hours: { opens: '09:00', days: [1] }, notes: 'long' },
      ...{ tags: ['a', 'b,c'], opened_on: '2026-02-28', order: 3 },
      ...{ balance_cents: Number.MAX_SAFE_INTEGER, deleted_at: new Date('2026-05-04T03:02:01.987Z') },
    }),
  )

test('a row is found as by findOne, without its lazy columns', async () => {
  const { id } = await addBranch('Centro')
  const [found, expected] = [
    await db.read(em => findRow(em, BranchEntity, { id })),
    await db.read(em => em.findOne(BranchEntity, { id })),
  ]
  expect(found).not.toBeNull()
  expect({ ...found }).toEqual({ ...expected })
  expect(found).not.toHaveProperty('notes')
})

test('there is no row for an id that does not exist, or that another column contradicts', async () => {
  const { id } = await addBranch('Norte')
  expect(await db.read(em => findRow(em, BranchEntity, { id: newId('suc') }))).toBeNull()
  expect(await db.read(em => findRow(em, BranchEntity, { id, name: 'Sur' }))).toBeNull()
})

test('a row is found by a column whose name SQL reserves', async () => {
  const { id } = await addBranch('Oeste')
  expect(await db.read(em => findRow(em, BranchEntity, { id, order: 3 }))).toMatchObject({ id, order: 3 })
  expect(await db.read(em => findRow(em, BranchEntity, { id, order: 4 }))).toBeNull()
})

test('a locked row is read as the lock before left it', async () => {
  const { id } = await addBranch('Este')
  const locked = Promise.withResolvers<void>()
  const waiting = Promise.withResolvers<void>()
  const first = db.write(async tx => {
    const row = await findRow(tx, BranchEntity, { id }, { lock: true })
    locked.resolve()
    await waiting.promise
    Object.assign(row ?? {}, { balance_cents: 7 })
  })
  await locked.promise
  const second = db.write(async tx => {
    await findRow(tx, BranchEntity, { id })
    waiting.resolve()
    return (await findRow(tx, BranchEntity, { id }, { lock: true }))?.balance_cents
  })
  await first
  expect(await second).toBe(7)
})

test('rows that fulfil a condition are found in its order', async () => {
  const merchant_id = newId('mrc')
  for (const name of ['B', 'A'])
    await db.write(async tx => void newRow(tx, BranchEntity, { id: newId('suc'), merchant_id, name }))
  const rows = await db.read(em => findRows(em, BranchEntity, 'merchant_id = ? order by name', [merchant_id]))
  expect(rows.map(({ name }) => name)).toEqual(['A', 'B'])
})
