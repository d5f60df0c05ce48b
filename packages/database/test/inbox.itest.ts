import { newId } from '@cobro/contracts'
import { inboxOf } from '../src/inbox.ts'
import type { Emit } from '../src/outbox.ts'
import type { Tx } from '../src/transaction.ts'
import { type BranchDatabase, branchDatabase } from './branch-database.ts'

let world: BranchDatabase
beforeAll(async () => {
  world = await branchDatabase()
})
afterAll(() => world.stop())

test('one of twenty concurrent deliveries to several replicas has its effect', async () => {
  const inboxes = [inboxOf(world.open()), inboxOf(world.open()), inboxOf(world.open())]
  const messageId = newId('evt')
  let effects = 0
  const taken = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      inboxes[index % 3]!.once(messageId, async (tx, emit) => {
        effects += 1
        // Long enough for an effect in each replica.
        await tx.execute('select pg_sleep(0.2)')
        emit('sucursal.created', { id: newId('suc') })
      }),
    ),
  )
  expect(taken.filter(Boolean)).toHaveLength(1)
  expect(effects).toBeLessThanOrEqual(3)
  expect(await world.query('select name from transactions.outbox')).toEqual([{ name: 'sucursal.created' }])
})

test('an effect that waits for the lock of another delivery is rolled back, also if it fails for that reason', async () => {
  const add = `insert into transactions.branches (id, name, created_at, updated_at) values (?, 'Centro', now(), now())`
  for (const fails of [false, true]) {
    const [messageId, branchId] = [newId('evt'), newId('suc')]
    const locked = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const first = inboxOf(world.open()).once(messageId, async (tx, emit) => {
      await tx.execute(add, [branchId])
      emit('sucursal.created', { id: branchId })
      locked.resolve()
      await end.promise
    })
    await locked.promise
    const second = inboxOf(world.open()).once(messageId, async (tx, emit) => {
      const insert = tx.execute(fails ? add : `${add} on conflict do nothing`, [branchId])
      end.resolve()
      await insert
      emit('sucursal.created', { id: branchId })
    })
    expect(await Promise.all([first, second])).toEqual([true, false])
    expect(
      await world.query(`select from transactions.outbox where convert_from(body, 'UTF8') like '%' || $1 || '%'`, [
        branchId,
      ]),
    ).toHaveLength(1)
  }
})

test('the key of the inbox rolls back a delivery that was recorded after it had looked', async () => {
  const messageId = newId('evt')
  const inbox = inboxOf(world.open())
  const effect = async (tx: Tx, emit: Emit) => {
    await tx.execute('select 1')
    expect(await inboxOf(world.open()).once(messageId, async () => {})).toBe(true)
    emit('sucursal.created', { id: newId('suc') })
  }
  const before = await world.query('select from transactions.outbox')
  expect(await inbox.once(messageId, effect)).toBe(false)
  expect(await world.query('select from transactions.outbox')).toHaveLength(before.length)
})

test('a failed effect does not record the message id, so the next delivery has its effect', async () => {
  const inbox = inboxOf(world.open())
  const messageId = newId('evt')
  await expect(inbox.once(messageId, () => Promise.reject(new Error('not now')))).rejects.toThrow('not now')
  expect(await inbox.once(messageId, async () => {})).toBe(true)
  expect(await inbox.once(messageId, async () => {})).toBe(false)
})

test('a delivery that waits for another has its effect if that one fails', async () => {
  const inbox = inboxOf(world.open())
  const messageId = newId('evt')
  const begun = Promise.withResolvers<void>()
  const fail = Promise.withResolvers<void>()
  const first = inbox.once(messageId, async () => {
    begun.resolve()
    await fail.promise
    throw new Error('not now')
  })
  await begun.promise
  const second = inbox.once(messageId, async () => {})
  fail.resolve()
  await expect(first).rejects.toThrow('not now')
  expect(await second).toBe(true)
})

test('a repetition in the same process needs no connection, while the first runs and afterwards', async () => {
  const db = world.open({ poolSize: 1 })
  const inbox = inboxOf(db)
  const messageId = newId('evt')
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const first = inbox.once(messageId, async () => {
    begun.resolve()
    await end.promise
  })
  await begun.promise
  const repetitions = Array.from({ length: 5 }, () => inbox.once(messageId, () => Promise.reject(new Error('again'))))
  end.resolve()
  expect(await first).toBe(true)
  expect(await Promise.all(repetitions)).toEqual([false, false, false, false, false])
  await db.write(async () => expect(await inbox.once(messageId, async () => {})).toBe(false))
})

test('an effect whose commit fails is not remembered, so a repetition has its effect', async () => {
  const inbox = inboxOf(world.open())
  const messageId = newId('evt')
  const undone = inbox.once(messageId, tx => tx.execute('select pg_terminate_backend(pg_backend_pid())'))
  const repetition = inbox.once(messageId, async () => {})
  await expect(undone).rejects.toThrow()
  expect(await repetition).toBe(true)
  expect(await inbox.once(messageId, async () => {})).toBe(false)
})

test('each of many messages in a batch has its effect once, also with two concurrent batches', async () => {
  const inboxes = [inboxOf(world.open()), inboxOf(world.open())]
  const ids = Array.from({ length: 50 }, () => newId('evt'))
  await inboxes[0]!.once(ids[0]!, async () => {})
  const take = `select count(*)::integer as fresh, array(select message_id || ? from fresh) as taken from fresh`
  type Taken = { fresh: number; taken: string[] }
  const rows = await Promise.all([
    inboxes[0]!.onceEach<Taken>([...ids, ids[1]!], take, ['!']),
    inboxes[1]!.onceEach<Taken>(ids.toReversed(), take, ['!']),
  ])
  expect(rows.flatMap(row => row.taken).toSorted()).toEqual(
    ids
      .slice(1)
      .map(id => `${id}!`)
      .toSorted(),
  )
  expect(rows[0].fresh + rows[1].fresh).toBe(49)
})

test('the inbox is pruned after a week', async () => {
  const db = world.open()
  const inbox = inboxOf(db)
  await world.query(`insert into transactions.inbox values ('old', now() - interval '8 days'), ('new', now())`)
  await inbox.prune()
  expect(await world.query(`select message_id from transactions.inbox where message_id in ('old', 'new')`)).toEqual([
    { message_id: 'new' },
  ])
  await db.ping()
})
