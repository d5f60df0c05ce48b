import { type Id, newId } from '@cobro/contracts'
import { withCallContext } from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import { isStatementTimeout, violatesConstraint } from '../src/database-errors.ts'
import { newRow } from '../src/new-row.ts'
import type { Database } from '../src/open-database.ts'
import type { Tx } from '../src/transaction.ts'
import { type BranchDatabase, BranchEntity, branchDatabase } from './branch-database.ts'

let world: BranchDatabase
let db: Database
beforeAll(async () => {
  world = await branchDatabase()
  db = world.open()
})
afterAll(() => world.stop())
beforeEach(() => world.query('truncate transactions.branches, transactions.outbox'))

const addBranch = (tx: Tx, name: string, merchant_id: Id<'mrc'> = newId('mrc')) =>
  newRow(tx, BranchEntity, { id: newId('suc'), merchant_id, name })
const names = async () =>
  (await world.query('select name from transactions.branches order by name')).map(row => row.name)
const outbox = () => world.query('select * from transactions.outbox order by id')

test('rows and their messages are stored in one transaction, the messages in the form that is published', async () => {
  const before = Date.now()
  const call = {
    request_id: newId('req'),
    actor: { type: 'key' as const, id: newId('key') },
    merchant_id: newId('mrc'),
  }
  const correlation_id = newId('corr')
  const made = await withCallContext(call, () =>
    db.write(async (tx, emit, send) => {
      const row = addBranch(tx, 'Centro', call.merchant_id)
      const created = emit('sucursal.created', row, { correlation_id })
      const deleted = emit('sucursal.deleted', { id: row.id })
      const resolve = send('payment.resolve', attemptOf(row.merchant_id!), { target_id: row.id })
      return { row, messages: [created, deleted, resolve] }
    }),
  )
  expect(await names()).toEqual(['Centro'])
  const stored = await outbox()
  expect(stored.map(({ road, name, correlation_id }) => [road, name, correlation_id])).toEqual([
    ['events', 'sucursal.created', correlation_id],
    ['events', 'sucursal.deleted', null],
    ['commands', 'payment.resolve', made.messages[2]!.correlation_id],
  ])
  expect(stored.map(row => JSON.parse(row.body))).toEqual(made.messages)
  expect(stored.map(row => row.message_id)).toEqual(made.messages.map(message => message.id))
  expect(made.messages[0]).toEqual({
    id: expect.stringMatching(/^evt_/),
    name: 'sucursal.created',
    occurred_at: expect.any(String),
    merchant_id: call.merchant_id,
    target_id: made.row.id,
    correlation_id,
    request_id: call.request_id,
    actor: call.actor,
    // Fields that the event does not declare are dropped.
    data: { id: made.row.id },
  })
  expect(Date.parse(made.messages[0]!.occurred_at)).toBeGreaterThanOrEqual(before)
  expect(made.messages[2]!.id).toMatch(/^cmd_/)
})

const attemptOf = (merchant_id: Id<'mrc'>) => ({
  payment_intent_id: newId('pi'),
  attempt: 1,
  payable_id: newId('cs'),
  payment_link_id: null,
  merchant_id,
  correlation_id: newId('corr'),
  amount_cents: 25_000,
  currency: 'MXN',
  card: null,
  payer_email: null,
  order_id: null,
  reference: null,
  metadata: null,
})

test.each<[string, (tx: Tx) => Promise<unknown>]>([
  ['work that throws', async () => Promise.reject(new Error('changed my mind'))],
  ['a statement that fails', tx => tx.execute('select 1 / 0')],
  ['a row that the table rejects at the flush', async tx => addBranch(tx, 'Twice', 'mrc_1')],
])('a transaction with %s stores neither rows nor messages and calls no listener', async (_what, fail) => {
  await db.write(async tx => void addBranch(tx, 'Twice', 'mrc_1'))
  let woken = 0
  db.onMessages(() => woken++)
  const failing = db.write(async (tx, emit) => {
    const row = addBranch(tx, 'Lost')
    await tx.flush()
    emit('sucursal.created', row)
    await fail(tx)
  })
  await expect(failing).rejects.toThrow()
  expect([await names(), await outbox(), woken]).toEqual([['Twice'], [], 0])
})

test('an event that its schema rejects rolls back the whole transaction', async () => {
  const failing = db.write(async (tx, emit) => {
    emit('sucursal.created', { ...addBranch(tx, 'Centro'), id: 'suc_nonsense' })
  })
  await expect(failing).rejects.toThrow('expected an id that starts with suc_')
  expect([await names(), await outbox()]).toEqual([[], []])
})

test('onMessages listeners are called after the commit, and only if it stored a message', async () => {
  const seen: number[] = []
  const listening = world.open()
  listening.onMessages(async () => seen.push((await outbox()).length))
  await listening.write(async tx => void addBranch(tx, 'Quiet'))
  await listening.write(async (_tx, emit) => void emit('sucursal.created', { id: newId('suc') }))
  await waitFor(() => seen.length > 0)
  expect(seen).toEqual([1])
})

test('a transaction is retried after a deadlock, and both transactions commit with one message each', async () => {
  const [one, other] = [world.open(), world.open()]
  await db.write(async tx => {
    addBranch(tx, 'A')
    addBranch(tx, 'B')
  })
  const met = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const tries = [0, 0]
  const inOrder = (which: 0 | 1, names: [string, string]) =>
    [one, other][which]!.write(async (tx, emit) => {
      tries[which]! += 1
      const add = (name: string) =>
        tx.execute('update transactions.branches set balance_cents = balance_cents + 1 where name = ?', [name])
      await add(names[0])
      met[which]!.resolve()
      await met[1 - which]!.promise
      await add(names[1])
      emit('sucursal.updated', { id: newId('suc') })
    })
  await Promise.all([inOrder(0, ['A', 'B']), inOrder(1, ['B', 'A'])])
  expect(tries[0]! + tries[1]!).toBeGreaterThan(2)
  expect(await world.query('select name, balance_cents from transactions.branches order by name')).toEqual([
    { name: 'A', balance_cents: '2' },
    { name: 'B', balance_cents: '2' },
  ])
  expect(await outbox()).toHaveLength(2)
})

test('a transaction is tried at most four times', async () => {
  let tries = 0
  const failing = db.write(async tx => {
    tries += 1
    await tx.execute(`do $$ begin raise exception 'again' using errcode = '40001'; end $$`)
  })
  await expect(failing).rejects.toThrow('again')
  expect(tries).toBe(4)
})

test('a statement outside of a transaction is executed again after a serialization failure', async () => {
  await world.query('create sequence transactions.tries; grant usage on sequence transactions.tries to public')
  await db.execute(`do $$ begin
    if nextval('transactions.tries') < 3 then raise exception 'again' using errcode = '40001'; end if;
  end $$`)
  expect(await world.query('select last_value from transactions.tries')).toEqual([{ last_value: '3' }])
})

test('a constraint violation is not retried, and the error names the constraint', async () => {
  let tries = 0
  const add = () =>
    db.write(async tx => {
      tries += 1
      addBranch(tx, 'Centro', 'mrc_1')
    })
  await add()
  const error = await add().catch(error => error)
  expect([violatesConstraint(error, 'branches_name'), violatesConstraint(error, 'branches_pkey')]).toEqual([
    true,
    false,
  ])
  expect(tries).toBe(2)
})

test('concurrent and nested writes run in separate transactions', async () => {
  const inner = world.open()
  const outer = db.write(async tx => {
    addBranch(tx, 'Outer')
    await tx.flush()
    await inner.write(async own => void addBranch(own, 'Inner'))
    await db.write(async own => void addBranch(own, 'Same database'))
    throw new Error('outer fails')
  })
  await expect(outer).rejects.toThrow('outer fails')
  expect(await names()).toEqual(['Inner', 'Same database'])
})

test('writes of writeSeparately persist if the shared transaction is rolled back', async () => {
  const nothing = { onBegin: async () => undefined, beforeCommit: async () => undefined }
  const work = async () => {
    await db.writeSeparately(async tx => void addBranch(tx, 'separate'))
    await db.write(async tx => void addBranch(tx, 'shared'))
    throw new Error('undone')
  }
  await expect(db.withSharedTransaction(work, nothing)).rejects.toThrow('undone')
  expect(await names()).toEqual(['separate'])
})

test('a rehearsal returns what its work returns and sees its own writes, of which only separate ones stay', async () => {
  const published: string[] = []
  db.onMessages(rows => published.push(...rows.map(({ name }) => name)))
  const seen = await db.rehearse(async () => {
    await db.writeSeparately(async tx => void addBranch(tx, 'separate'))
    await db.write(async (tx, emit) => void emit('sucursal.created', addBranch(tx, 'shared')))
    db.afterCommit(() => published.push('afterCommit'))
    return db.read(em => em.count(BranchEntity, {}))
  })
  expect([seen, await names(), await outbox(), published]).toEqual([2, ['separate'], [], []])
})

test('a rehearsal throws what its work throws, and what the database rejects', async () => {
  const failing = async () => {
    await db.write(async tx => void addBranch(tx, 'Centro'))
    throw new Error('undone')
  }
  await expect(db.rehearse(failing)).rejects.toThrow('undone')
  const { id } = await db.write(async tx => addBranch(tx, 'Sur'))
  const again = () =>
    db.write(async tx => void newRow(tx, BranchEntity, { id, merchant_id: newId('mrc'), name: 'Sur' }))
  await expect(db.rehearse(again)).rejects.toThrow('duplicate key')
  // Even if the caller catches the error.
  const caught = () => db.write(async tx => void (await tx.execute('select 1 / 0'))).catch(() => 'caught')
  await expect(db.rehearse(caught)).rejects.toThrow('division by zero')
  expect(await names()).toEqual(['Sur'])
})

test('a rehearsal inside a shared transaction is no part of it', async () => {
  const nothing = { onBegin: async () => undefined, beforeCommit: async () => undefined }
  await db.withSharedTransaction(async () => {
    await db.rehearse(() => db.write(async tx => void addBranch(tx, 'rehearsed')))
    await db.write(async tx => void addBranch(tx, 'shared'))
  }, nothing)
  expect(await names()).toEqual(['shared'])
})

test('inSharedTransaction commits all writes or none, and joins the transaction around it', async () => {
  const both = async () => {
    await db.write(async (tx, emit) => void emit('sucursal.created', addBranch(tx, 'A')))
    await db.write(async tx => void addBranch(tx, 'B'))
  }
  const failing = async () => {
    await both()
    throw new Error('undone')
  }
  await expect(db.inSharedTransaction(failing)).rejects.toThrow('undone')
  expect([await names(), await outbox()]).toEqual([[], []])
  await db.inSharedTransaction(both)
  expect([await names(), (await outbox()).length]).toEqual([['A', 'B'], 1])
  const around = async () => {
    await db.inSharedTransaction(both)
    throw new Error('undone')
  }
  await expect(db.inSharedTransaction(around)).rejects.toThrow('undone')
  expect(await names()).toEqual(['A', 'B'])
})

test('a statement is cancelled after the statement timeout', async () => {
  const asked = (other: Database) =>
    other.read(em => em.execute('select pg_sleep(0.3)')).then(() => 'done', isStatementTimeout)
  expect(await asked(world.open({ statementTimeoutMs: 100 }))).toBe(true)
  expect(await asked(world.open({ statementTimeoutMs: 60_000 }))).toBe('done')
})

test('a read of one database inside the transaction of another stays in its own database', async () => {
  const other = world.open({ url: world.database.adminUrl })
  const whoIs = async (em: Pick<Tx, 'execute'>) => (await em.execute('select current_user as name'))[0]?.name
  const users = await db.write(async tx => [
    await whoIs(tx),
    await other.write(own => whoIs(own)),
    await other.read(own => whoIs(own)),
  ])
  const admin = new URL(world.database.adminUrl).username
  expect(users).toEqual(['cobro_transactions', admin, admin])
})

test('a new row has null or the default in omitted columns, and is read back unchanged', async () => {
  const row = await db.write(async tx => addBranch(tx, 'Centro'))
  expect(row).toMatchObject({ phone: null, deleted_at: null, status: 'active', balance_cents: 0 })
  expect(row.created_at).toBeInstanceOf(Date)
  const read = await db.read(em => em.findOne(BranchEntity, { id: row.id }, { populate: ['notes'] }))
  expect({ ...read }).toEqual({ ...row })
})

test('amounts are written and read as exact integers', async () => {
  const balance_cents = Number.MAX_SAFE_INTEGER
  const id = newId('suc')
  await db.write(async tx => void newRow(tx, BranchEntity, { id, merchant_id: null, name: 'Rich', balance_cents }))
  expect(await db.read(em => em.findOne(BranchEntity, { id }))).toMatchObject({ balance_cents })
})
