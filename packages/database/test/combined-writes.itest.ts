import { newId } from '@cobro/contracts'
import { waitFor } from '@cobro/testing'
import type { Pool, PoolClient } from 'pg'
import { isDatabaseUnavailable, violatesConstraint } from '../src/database-errors.ts'
import { findRow } from '../src/find-row.ts'
import { newRow } from '../src/new-row.ts'
import type { Database } from '../src/open-database.ts'
import type { Emit } from '../src/outbox.ts'
import type { Tx } from '../src/transaction.ts'
import { type BranchDatabase, BranchEntity, type BranchRow, branchDatabase } from './branch-database.ts'

let world: BranchDatabase
let db: Database
let sent: string[]
/** Is called between the answer to a `begin` and its arrival. */
let onBegun: () => Promise<unknown>
beforeAll(async () => {
  world = await branchDatabase()
})
afterAll(() => world.stop())
beforeEach(async () => {
  await world.query('truncate transactions.branches, transactions.outbox')
  // With one connection, a transaction that kept it would stop all others.
  db = world.open({ poolSize: 1 })
  sent = []
  onBegun = async () => undefined
  const pool: Pool = await db.orm.em.getConnection().getNativeClient()
  pool.on('connect', client => recordStatements(client, sent))
})
afterEach(() => db.close())

function recordStatements(client: PoolClient, texts: string[]): void {
  const query = client.query.bind(client) as (...input: unknown[]) => Promise<unknown>
  client.query = ((...input: [string | { text: string }]) => {
    const [given] = input
    texts.push((typeof given === 'string' ? given : given.text).trim().replace(/\s+/g, ' '))
    return given === 'begin' ? query(...input).then(result => onBegun().then(() => result)) : query(...input)
  }) as typeof client.query
}

/** A row with a value for every column, so that the database adds nothing. */
const branch = (name: string, more: Partial<BranchRow> = {}) => ({
  ...{ id: newId('suc'), merchant_id: newId('mrc'), name, phone: null, hours: null, notes: null },
  ...{ tags: null, opened_on: null, order: null },
  ...{ status: 'active', balance_cents: 0, deleted_at: null, created_at: new Date(), updated_at: new Date() },
  ...more,
})
const add = (tx: Tx, name: string, more: Partial<BranchRow> = {}) => newRow(tx, BranchEntity, branch(name, more))
const stored = () => world.query('select name, balance_cents from transactions.branches order by name')
const outbox = async () => (await world.query('select name from transactions.outbox order by id')).map(row => row.name)

test('new rows and messages are one statement, without a transaction around it', async () => {
  await db.write(async (tx, emit) => {
    emit('sucursal.created', add(tx, 'A'))
    emit('sucursal.created', add(tx, 'B'))
  })
  expect(sent).toEqual([
    expect.stringMatching(/^with write_0 as \(insert .* json_populate_recordset\(.*\)\) insert into/),
  ])
  expect([await stored(), await outbox()]).toEqual([
    [
      { name: 'A', balance_cents: '0' },
      { name: 'B', balance_cents: '0' },
    ],
    ['sucursal.created', 'sucursal.created'],
  ])
})

test('after a read, changes and messages are one statement before the commit', async () => {
  const { id } = await db.write(async tx => add(tx, 'Old'))
  sent.length = 0
  await db.write(async (tx, emit) => {
    const row = await findRow(tx, BranchEntity, { id }, { lock: true })
    if (!row) throw new Error('The row is missing.')
    Object.assign(row, { name: 'New', balance_cents: 500 })
    add(tx, 'Other')
    emit('sucursal.updated', row)
  })
  expect(sent).toEqual([
    'begin',
    expect.stringMatching(/^select .* for update$/),
    expect.stringMatching(/^with write_0 as \(insert .*\), write_1 as \(update .*\) insert into/),
    'commit',
  ])
  expect([await stored(), await outbox()]).toEqual([
    [
      { name: 'New', balance_cents: '500' },
      { name: 'Other', balance_cents: '0' },
    ],
    ['sucursal.updated'],
  ])
})

test('work that writes nothing sends nothing', async () => {
  expect(await db.write(async () => 'done')).toBe('done')
  expect(sent).toEqual([])
})

test('all types of columns are stored as a flush stores them', async () => {
  const values = {
    ...{ tags: ['a', 'b,c', '{"d"}', "e'\\"], opened_on: '2026-02-28', order: 3 },
    ...{ phone: "O'Hara $1 ?", hours: { opens: '09:00', days: [1, 2, 3] }, notes: '¿?' },
    ...{ balance_cents: Number.MAX_SAFE_INTEGER, deleted_at: new Date('2026-05-04T03:02:01.987Z') },
  }
  const own = await db.write(async tx => add(tx, 'Own', values))
  const flushed = await db.write(async tx => {
    const row = add(tx, 'Flushed', { ...values, created_at: own.created_at, updated_at: own.updated_at })
    await tx.flush()
    return row
  })
  const rows = await world.query('select * from transactions.branches order by name desc')
  expect(rows.map(({ id, merchant_id, name, ...same }) => same)[0]).toEqual(
    rows.map(({ id, merchant_id, name, ...same }) => same)[1],
  )
  expect(rows.map(({ id }) => id)).toEqual([own.id, flushed.id])
  const read = await db.read(em => em.findOne(BranchEntity, { id: own.id }, { populate: ['notes'] }))
  expect({ ...read }).toEqual({ ...own })
})

test('a changed row has the time of its update, and values of all types are stored', async () => {
  const before = { updated_at: new Date(0), phone: '55', tags: ['a'], opened_on: '2026-02-28', order: 1 }
  const { id, updated_at } = await db.write(async tx => add(tx, 'A', before))
  const changes = {
    phone: null,
    hours: { opens: '10:00', days: [] },
    tags: ['b', 'c'],
    opened_on: '2026-03-01',
    order: 2,
  }
  await db.write(async tx => {
    const row = await findRow(tx, BranchEntity, { id })
    Object.assign(row ?? {}, changes)
  })
  const row = await db.read(em => findRow(em, BranchEntity, { id }))
  expect(row).toMatchObject(changes)
  expect(row?.updated_at.getTime()).toBeGreaterThan(updated_at.getTime())
})

test('many new rows of a table are one insert', async () => {
  await db.write(async tx => {
    for (const name of 'ABCDEF') add(tx, name)
  })
  expect(sent).toEqual([expect.stringMatching(/^insert /)])
  expect(await stored()).toHaveLength(6)
})

test('a row is deleted before another takes its unique name', async () => {
  const merchant_id = newId('mrc')
  const { id } = await db.write(async tx => add(tx, 'Centro', { merchant_id }))
  const next = await db.write(async (tx, emit) => {
    tx.remove(tx.getReference(BranchEntity, id))
    await tx.flush()
    const row = add(tx, 'Centro', { merchant_id })
    emit('sucursal.created', row)
    return row
  })
  expect((await world.query('select id from transactions.branches')).map(row => row.id)).toEqual([next.id])
})

test('if one of the combined writes fails, none is stored, and the connection serves the next transaction', async () => {
  const merchant_id = newId('mrc')
  await db.write(async tx => void add(tx, 'Twice', { merchant_id }))
  for (const reads of [false, true]) {
    const failing = db.write(async (tx, emit) => {
      if (reads) await tx.execute('select 1')
      add(tx, 'Lost')
      emit('sucursal.created', add(tx, 'Twice', { merchant_id }))
    })
    const error = await failing.catch(error => error)
    expect(violatesConstraint(error, 'branches_name')).toBe(true)
  }
  expect([await stored(), await outbox()]).toEqual([[{ name: 'Twice', balance_cents: '0' }], []])
})

test('a transaction whose work hides the failure of a statement does not seem to be committed', async () => {
  const failing = db.write(async (tx, emit) => {
    emit('sucursal.created', add(tx, 'Lost'))
    await tx.execute('select 1 / 0').catch(() => undefined)
  })
  await expect(failing).rejects.toThrow('current transaction is aborted')
  const silent = db.write(async tx => {
    await tx.execute(
      "insert into transactions.branches (id, name, created_at, updated_at) values ('suc_1', 'Lost', now(), now())",
    )
    await tx.execute('select 1 / 0').catch(() => undefined)
  })
  await expect(silent).rejects.toThrow('rolled back')
  expect([await stored(), await outbox()]).toEqual([[], []])
})

test('a constraint that is checked at the commit rolls back', async () => {
  await world.query(
    'alter table transactions.branches add constraint later unique (phone) deferrable initially deferred',
  )
  await db.write(async tx => void add(tx, 'A', { phone: '55' }))
  for (const reads of [false, true]) {
    const failing = db.write(async (tx, emit) => {
      if (reads) await tx.execute('select 1')
      emit('sucursal.created', add(tx, 'B', { phone: '55' }))
    })
    const error = await failing.catch(error => error)
    expect(violatesConstraint(error, 'later')).toBe(true)
  }
  await world.query('alter table transactions.branches drop constraint later')
  expect([(await stored()).length, await outbox()]).toEqual([1, []])
})

test('statements of work that goes on after the end of its transaction are rejected', async () => {
  let late: Tx | undefined
  await db.write(async tx => {
    late = tx
    await tx.execute('select 1')
  })
  for (const text of ['select 1', "update transactions.branches set name = 'Late'"])
    await expect(late?.execute(text)).rejects.toThrow('The transaction has ended.')
})

test('concurrent statements are sent in their order, also if the first one begins the transaction', async () => {
  const inserts = ['A', 'B', 'C'].map(
    name =>
      `insert into transactions.branches (id, name, created_at, updated_at) values ('suc_${name}', '${name}', now(), now())`,
  )
  await db.write(tx => Promise.all(inserts.map(insert => tx.execute(insert))))
  expect(sent).toEqual(['begin', ...inserts, 'commit'])
})

test('reads at the beginning are sent without waiting for the begin, and none overtakes a write', async () => {
  const insert =
    "insert into transactions.branches (id, name, created_at, updated_at) values ('suc_1', 'A', now(), now())"
  const count = 'select count(*)::integer as found from transactions.branches'
  const texts = ['select 1 as one', 'select 2 as two', insert, count]
  let sentBeforeBegun: string[] = []
  onBegun = async () => {
    await waitFor(() => sent.length > 2, { timeoutMs: 5_000 })
    sentBeforeBegun = [...sent]
  }
  const results = await db.write(tx => Promise.all(texts.map(text => tx.execute<object[]>(text))))
  expect(sentBeforeBegun).toEqual(['begin', ...texts.slice(0, 2)])
  expect(results.map(([row]) => row)).toEqual([{ one: 1 }, { two: 2 }, undefined, { found: 1 }])
  expect(sent).toEqual(['begin', ...texts, 'commit'])
})

describe('a read that follows a write', () => {
  const count = { sql: 'select count(*)::integer as found from transactions.branches where name <> ?', params: ['Z'] }

  test('is sent with the commit, on the same connection, and sees what is committed', async () => {
    const adding = async (tx: Tx) => {
      await tx.execute('select 1')
      return add(tx, 'A').name
    }
    const read = await db.writeThenRead(adding, name => ({ ...count, params: [`not ${name}`] }))
    expect(read).toEqual({ result: 'A', rows: [{ found: 1 }] })
    expect(sent.slice(-2)).toEqual(['commit', count.sql.replace('?', '$1')])
    sent.length = 0
    expect(
      (
        await db.writeThenRead(
          async tx => void add(tx, 'B'),
          () => count,
        )
      ).rows,
    ).toEqual([{ found: 2 }])
    expect(sent).toEqual([expect.stringMatching(/^insert /), count.sql.replace('?', '$1')])
  })

  test('is left out without a statement, and executed alone if nothing was written', async () => {
    expect(
      await db.writeThenRead(
        async tx => void add(tx, 'A'),
        () => undefined,
      ),
    ).toEqual({ result: undefined, rows: [] })
    expect(sent).toHaveLength(1)
    expect(
      await db.writeThenRead(
        async () => 'nothing',
        () => count,
      ),
    ).toEqual({ result: 'nothing', rows: [{ found: 1 }] })
  })

  test('is not returned if the write fails', async () => {
    const failing = async (tx: Tx) => {
      await tx.execute('select 1')
      add(tx, 'A')
      add(tx, 'A', { merchant_id: null, name: null as never })
    }
    await expect(db.writeThenRead(failing, () => count)).rejects.toThrow('null value')
    expect(await stored()).toEqual([])
    await db.write(async tx => void add(tx, 'Next'))
    expect(await stored()).toHaveLength(1)
  })

  test('fails after the commit, whose messages are published', async () => {
    let notified = 0
    db.onMessages(() => notified++)
    const adding = async (tx: Tx, emit: Emit) => void emit('sucursal.created', add(tx, 'A'))
    await expect(db.writeThenRead(adding, () => ({ sql: 'select 1 / ?::integer', params: [0] }))).rejects.toThrow(
      'division by zero',
    )
    expect([(await stored()).length, notified]).toEqual([1, 1])
  })

  test('sees what its shared transaction has written so far', async () => {
    const hooks = { onBegin: async () => undefined, beforeCommit: async () => undefined }
    const { rows } = await db.withSharedTransaction(
      () =>
        db.writeThenRead(
          async tx => void add(tx, 'A'),
          () => count,
        ),
      hooks,
    )
    expect([rows, sent.at(-1)]).toEqual([[{ found: 1 }], 'commit'])
  })
})

test('a connection that is lost between the last write and the commit rolls back and is not used again', async () => {
  const pool: Pool = await db.orm.em.getConnection().getNativeClient()
  pool.once('acquire', client => endBeforeCommit(client))
  let notified = 0
  db.onMessages(() => notified++)
  const failing = db.write(async (tx, emit) => {
    await tx.execute('select 1')
    emit('sucursal.created', add(tx, 'Lost'))
  })
  expect(isDatabaseUnavailable(await failing.catch(error => error))).toBe(true)
  expect(sent.slice(-2)).toEqual([expect.stringMatching(/^with write_0 as \(insert /), 'commit'])
  expect([await stored(), await outbox(), notified]).toEqual([[], [], 0])
  await db.write(async (tx, emit) => void emit('sucursal.created', add(tx, 'Next')))
  expect([(await stored()).length, await outbox(), notified]).toEqual([1, ['sucursal.created'], 1])
})

/** Ends a connection on the server when its transaction is about to commit, and all writes are executed. */
function endBeforeCommit(client: PoolClient): void {
  const query = client.query.bind(client) as (...input: unknown[]) => Promise<unknown>
  let last: Promise<unknown> | undefined
  const commit = async (...input: unknown[]) => {
    await last
    await world.query('select pg_terminate_backend($1)', [Number(Reflect.get(client, 'processID'))])
    return query(...input)
  }
  client.query = ((...input: unknown[]) => {
    last = input[0] === 'commit' ? commit(...input) : query(...input)
    return last
  }) as typeof client.query
}

test('a value that pg does not know is rejected before anything of the commit is sent', async () => {
  const failing = db.write(async tx => {
    await tx.execute(
      "insert into transactions.branches (id, name, created_at, updated_at) values ('suc_1', 'Lost', now(), now())",
    )
    add(tx, 'Other', { phone: new Map() as never })
  })
  await expect(failing).rejects.toThrow('A statement cannot have a value of type Map.')
  expect([sent.includes('commit'), await stored()]).toEqual([false, []])
})

describe('in a shared transaction', () => {
  const nothing = { onBegin: async () => undefined, beforeCommit: async () => undefined }

  test('the events of a write that still runs when the work ends are stored', async () => {
    await db.withSharedTransaction(async () => {
      await db.write(async (tx, emit) => void emit('sucursal.created', add(tx, 'A')))
      // The work does not wait for it, but the commit does.
      void db.write(async (tx, emit) => {
        await tx.execute('select 1')
        emit('sucursal.created', add(tx, 'B'))
      })
    }, nothing)
    expect([(await stored()).length, await outbox()]).toEqual([2, ['sucursal.created', 'sucursal.created']])
  })

  test('writes that wait for the commit are combined by at most eight', async () => {
    const insert = (name: string) =>
      `insert into transactions.branches (id, name, created_at, updated_at) values ('suc_${name}', '${name}', now(), now())`
    const beforeCommit = async (tx: Tx) => {
      for (const name of 'ABCDEFGHIJ') await tx.execute(insert(name))
    }
    await db.withSharedTransaction(() => db.write(async (_tx, emit) => void emit('sucursal.created', branch('A'))), {
      ...nothing,
      beforeCommit,
    })
    expect(sent.map(text => text.match(/insert into transactions\.\w+/g)?.length ?? text)).toEqual([
      'begin',
      8,
      3,
      'commit',
    ])
    expect([(await stored()).length, await outbox()]).toEqual([10, ['sucursal.created']])
  })

  test('a write that starts during the commit is not lost: it has a transaction of its own', async () => {
    const begun = Promise.withResolvers<Promise<void>>()
    await db.withSharedTransaction(async () => {
      await db.write(async tx => void add(tx, 'A'))
      const late = async () => {
        while (!sent.includes('commit')) await new Promise(setImmediate)
        await db.write(async (tx, emit) => void emit('sucursal.created', add(tx, 'B')))
      }
      begun.resolve(late())
    }, nothing)
    await await begun.promise
    expect([(await stored()).length, await outbox()]).toEqual([2, ['sucursal.created']])
  })
})

test('nothing is written if the transaction cannot begin, and the connection is not used again', async () => {
  onBegun = () => Promise.reject(new Error('cancelled'))
  const insert = `insert into transactions.branches (id, name, created_at, updated_at) values ('suc_1', 'Lost', now(), now())`
  const works = [(tx: Tx) => tx.execute(insert), (tx: Tx) => tx.execute('select 1').then(() => tx.execute(insert))]
  for (const work of works) await expect(db.write(work)).rejects.toThrow('cancelled')
  expect(sent).toEqual(['begin', 'begin', 'select 1'])
  onBegun = async () => undefined
  await db.write(tx => tx.execute('select 1'))
  expect(await stored()).toEqual([])
})
