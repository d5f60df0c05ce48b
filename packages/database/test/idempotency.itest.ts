import { createHash, randomBytes } from 'node:crypto'
import { newId } from '@cobro/contracts'
import {
  createLogger,
  currentCall,
  type HttpAnswer,
  type KeyedCall,
  type KeyRing,
  secret,
  withCallContext,
} from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import { idempotencyOf, storeAnswerLast } from '../src/idempotency.ts'
import { newRow } from '../src/new-row.ts'
import type { Database } from '../src/open-database.ts'
import type { Tx } from '../src/transaction.ts'
import { type BranchDatabase, BranchEntity, branchDatabase } from './branch-database.ts'

const logger = createLogger('transactions', 'silent')
const keys: KeyRing = [{ id: 'e1', bytes: secret(randomBytes(32)) }]

let world: BranchDatabase
let db: Database
let idempotency: ReturnType<typeof idempotencyOf>
beforeAll(async () => {
  world = await branchDatabase()
  db = world.open()
  idempotency = idempotencyOf({ db, keys, logger })
})
afterAll(() => world.stop())
beforeEach(() => world.query('truncate transactions.branches, transactions.outbox, transactions.idempotency_keys'))

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
let calls = 0
const keyedCall = (change: Partial<KeyedCall> = {}): KeyedCall => ({
  id: sha256(`key ${++calls}`),
  body_hash: sha256('{}'),
  lease: undefined,
  secret: false,
  ...change,
})
const addBranch = (tx: Tx, name: string) =>
  newRow(tx, BranchEntity, { id: newId('suc'), merchant_id: newId('mrc'), name })
const names = async () =>
  (await world.query('select name from transactions.branches order by name')).map(row => row.name)
const outboxSize = async () => (await world.query('select 1 from transactions.outbox')).length
const keyRows = () => world.query('select * from transactions.idempotency_keys')
const later = (sql: string) => world.query(`update transactions.idempotency_keys set ${sql}`)

/** Creates a branch and emits its event, like a create operation. */
const makeBranch =
  (name: string, on: Database = db) =>
  async (): Promise<HttpAnswer> => {
    const row = await on.write(async (tx, emit) => {
      const row = addBranch(tx, name)
      emit('sucursal.created', row)
      return row
    })
    return { status: 201, body: JSON.stringify({ data: { id: row.id } }) }
  }
const fresh = (answer: HttpAnswer) => ({ ...answer, replayed: false })
const replayed = (answer: HttpAnswer) => ({ ...answer, replayed: true })
const never = () => Promise.reject(new Error('carried out again'))
/** Returns work that writes before it does anything else, where the write takes the lease. */
const writingFirst = (lease: KeyedCall['lease'], work: () => Promise<HttpAnswer>, on: Database = db) =>
  lease === 'with_first_write' ? () => on.write(async () => undefined).then(work) : work
const conflict = {
  ...{ code: 'conflict', detail: 'a request with this Idempotency-Key is still running' },
  headers: { 'Retry-After': '1' },
}

describe('idempotent calls with one transaction for effect and answer', () => {
  test('an idempotent call has its effect once, and its answer is replayed', async () => {
    const call = keyedCall()
    const first = await idempotency.once(call, makeBranch('Centro'))
    expect(first).toEqual({ status: 201, body: expect.stringContaining('suc_'), replayed: false })
    expect(await idempotency.once(call, never)).toEqual({ ...first, replayed: true })
    expect([await names(), await outboxSize()]).toEqual([['Centro'], 1])
  })

  test('fifty concurrent calls with one Idempotency-Key on two replicas have their effect once', async () => {
    const call = keyedCall()
    const replicas = [db, world.open()].map(on => ({ on, keeper: idempotencyOf({ db: on, keys, logger }) }))
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => {
        const { on, keeper } = replicas[index % 2]!
        return keeper.once(call, makeBranch('Centro', on))
      }),
    )
    expect(await names()).toEqual(['Centro'])
    const answers = outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    expect(answers.filter(answer => !answer.replayed)).toHaveLength(1)
    expect(new Set(answers.map(answer => answer.body)).size).toBe(1)
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(conflict)
    expect(await idempotency.once(call, never)).toMatchObject({ body: answers[0]?.body, replayed: true })
  })

  test('a call is rejected at once while another call with its Idempotency-Key runs', async () => {
    const call = keyedCall()
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const first = idempotency.once(call, async () => {
      const answer = await makeBranch('Centro')()
      begun.resolve()
      await gate.promise
      return answer
    })
    await begun.promise
    await expect(idempotency.once(call, makeBranch('Norte'))).rejects.toMatchObject(conflict)
    gate.resolve()
    const { body } = await first
    expect(await idempotency.once(call, makeBranch('Norte'))).toEqual({ status: 201, body, replayed: true })
    expect(await names()).toEqual(['Centro'])
  })

  test('a call that begins to write after another was answered returns the answer of that one', async () => {
    const call = keyedCall()
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = idempotency.once(call, async () => {
      begun.resolve()
      await gate.promise
      return makeBranch('Norte')()
    })
    await begun.promise
    const { body } = await idempotency.once(call, makeBranch('Centro'))
    gate.resolve()
    expect(await slow).toEqual({ status: 201, body, replayed: true })
    expect(await names()).toEqual(['Centro'])
  })

  test('an idempotent call that throws leaves no rows and no messages, and may be repeated', async () => {
    const call = keyedCall()
    const failing = idempotency.once(call, async () => {
      await makeBranch('Centro')()
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect([await names(), await outboxSize(), await keyRows()]).toEqual([[], 0, []])
    expect(await idempotency.once(call, makeBranch('Norte'))).toMatchObject({ status: 201, replayed: false })
    expect(await names()).toEqual(['Norte'])
  })

  test('an idempotent call whose first write failed writes nothing afterwards, even if it caught the error', async () => {
    const failing = idempotency.once(keyedCall(), async () => {
      await db.write(() => Promise.reject(new Error('changed my mind'))).catch(() => undefined)
      return makeBranch('Centro')()
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect([await names(), await outboxSize()]).toEqual([[], 0])
  })

  test('an idempotent call whose connection dies leaves no lock that would block its repetition', async () => {
    const call = keyedCall()
    const failing = idempotency.once(call, async () => {
      const answer = await makeBranch('Lost')()
      await world.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where state = 'idle in transaction' and datname = current_database()",
      )
      return answer
    })
    await expect(failing).rejects.toThrow()
    // The server releases the lock just after it has closed the connection.
    const repeated = await waitFor(() => idempotency.once(call, makeBranch('Centro')))
    expect(repeated).toMatchObject({ replayed: false })
    expect([await names(), await outboxSize()]).toEqual([['Centro'], 1])
  })

  test('the writes of an idempotent call share a transaction, and only its own reads see them before the commit', async () => {
    const seen: number[] = []
    await idempotency.once(keyedCall(), async () => {
      await makeBranch('Centro')()
      await makeBranch('Norte')()
      seen.push(await db.read(em => em.count(BranchEntity)), (await names()).length)
      return { status: 201, body: '{}' }
    })
    expect(seen).toEqual([2, 0])
    expect([await names(), await outboxSize()]).toEqual([['Centro', 'Norte'], 2])
  })

  test('an idempotent call opens no transaction before its first write', async () => {
    const open = () =>
      world.query("select 1 from pg_stat_activity where datname = current_database() and state like 'idle in%'")
    let held: unknown[] | undefined
    await idempotency.once(keyedCall(), async () => {
      held = await open()
      return makeBranch('Centro')()
    })
    expect(held).toEqual([])
  })

  test('the answer of an idempotent call that writes nothing is stored too', async () => {
    const call = keyedCall()
    const answer = { status: 200, body: '{"done":true}' }
    expect(await idempotency.once(call, async () => answer)).toEqual(fresh(answer))
    expect(await idempotency.once(call, never)).toEqual(replayed(answer))
  })

  test('an idempotent call runs again from its start after a deadlock', async () => {
    let tries = 0
    const answer = await idempotency.once(keyedCall(), async () => {
      const made = await makeBranch('Centro')()
      tries += 1
      if (tries === 1)
        await db.write(tx => tx.execute(`do $$ begin raise exception 'x' using errcode = '40P01'; end $$`))
      return made
    })
    expect([tries, answer.status, await names(), await outboxSize()]).toEqual([2, 201, ['Centro'], 1])
  })

  test('onMessages listeners are called after the commit of a call with an Idempotency-Key', async () => {
    const listening = world.open()
    const heard: number[] = []
    listening.onMessages(async () => void heard.push(await outboxSize()))
    await idempotencyOf({ db: listening, logger }).once(keyedCall(), makeBranch('Centro', listening))
    await waitFor(() => heard.length > 0)
    expect(heard).toEqual([1])
  })

  test('an afterCommit listener is called once after the commit, and never after a rollback', async () => {
    const heard: Promise<number>[] = []
    let tries = 0
    const listening = async () => {
      const answer = await makeBranch('Centro')()
      db.afterCommit(() => heard.push(names().then(seen => seen.length)))
      tries += 1
      if (tries === 1)
        await db.write(tx => tx.execute(`do $$ begin raise exception 'x' using errcode = '40P01'; end $$`))
      return answer
    }
    await idempotency.once(keyedCall(), listening)
    expect([tries, await Promise.all(heard)]).toEqual([2, [1]])
    const failing = async () => {
      await listening()
      throw new Error('changed my mind')
    }
    await expect(idempotency.once(keyedCall(), failing)).rejects.toThrow('changed my mind')
    expect(heard).toHaveLength(1)
    // A write without a shared transaction is committed when it returns.
    await listening()
    expect(heard).toHaveLength(2)
  })

  test('a write that begins after its idempotent call has ended runs in its own transaction', async () => {
    const ended = Promise.withResolvers<void>()
    let straggler: Promise<unknown> | undefined
    await idempotency.once(keyedCall(), async () => {
      straggler = ended.promise.then(makeBranch('Later'))
      return makeBranch('Centro')()
    })
    ended.resolve()
    await straggler
    expect(await names()).toEqual(['Centro', 'Later'])
  })

  test('a write that begins while its shared transaction ends runs in its own transaction', async () => {
    const ending = Promise.withResolvers<void>()
    let straggler: Promise<unknown> | undefined
    const work = async () => {
      straggler = ending.promise.then(makeBranch('Later'))
      return makeBranch('Centro')()
    }
    const beforeCommit = async (tx: Tx) => {
      ending.resolve()
      await tx.execute('select 1')
    }
    await db.withSharedTransaction(work, { onBegin: async () => undefined, beforeCommit })
    await straggler
    expect([await names(), await outboxSize()]).toEqual([['Centro', 'Later'], 2])
  })
})

describe.each(['at_once', 'with_first_write'] as const)('idempotent calls under a lease, %s', lease => {
  const leased = (change: Partial<KeyedCall> = {}) => keyedCall({ lease, ...change })
  const once = (call: KeyedCall, work: () => Promise<HttpAnswer>) => idempotency.once(call, writingFirst(lease, work))
  const approved = { status: 200, body: '{"status":"approved"}' }

  test('a leased call has its effect once, and its answer is stored, also if it is a decline', async () => {
    for (const answer of [approved, { status: 402, body: '{"error":"card_declined","declined":true}' }]) {
      const call = leased()
      expect(await once(call, async () => answer)).toEqual(fresh(answer))
      expect(await once(call, never)).toEqual(replayed(answer))
    }
  })

  const stored = { status: 201, body: '{}', isStored: true }
  const context = { correlation_id: 'corr_1', merchant_id: 'mrc_1' }
  /** Creates a branch and stores an answer in its transaction. */
  const makeAndStore = (call: KeyedCall, name: string, answer = stored) =>
    db.writeSeparately(async tx => {
      addBranch(tx, name)
      storeAnswerLast(tx, db.schema, call.id, { ...answer, ...context })
    })
  const makeOnce = (call: KeyedCall, name: string) =>
    once(call, async () => {
      await makeAndStore(call, name)
      return stored
    })

  test('an answer that was stored with the effect is replayed', async () => {
    const call = leased()
    expect(await makeOnce(call, 'Centro')).toMatchObject({ status: 201, replayed: false })
    const [row] = await world.query(
      `select key.status, key.correlation_id, key.merchant_id, key.xmin = branch.xmin as together
       from transactions.idempotency_keys key, transactions.branches branch`,
    )
    expect(row).toEqual({ status: 201, correlation_id: 'corr_1', merchant_id: 'mrc_1', together: true })
    expect(await once(call, never)).toEqual(replayed({ status: 201, body: '{}' }))
  })

  test('an answer is not stored without the effect, and the call can be repeated', async () => {
    const call = leased()
    const answer = await once(call, async () => {
      const work = db.writeSeparately(async tx => {
        storeAnswerLast(tx, db.schema, call.id, { ...stored, ...context })
        throw new Error('no effect')
      })
      await expect(work).rejects.toThrow('no effect')
      return { status: 202, body: '{}' }
    })
    expect(answer.status).toBe(202)
    expect(await keyRows()).toMatchObject([{ status: null, answer: null }])
    expect(await makeOnce(call, 'Norte')).toMatchObject({ status: 201, replayed: false })
  })

  test('the first answer that was stored with an effect stays, even if the call fails afterwards', async () => {
    const call = leased()
    const failing = once(call, async () => {
      await makeAndStore(call, 'Centro')
      await makeAndStore(call, 'Norte', { ...stored, body: '{"second":true}' })
      throw new Error('too late')
    })
    await expect(failing).rejects.toThrow('too late')
    expect(await once(call, never)).toEqual(replayed({ status: 201, body: '{}' }))
  })

  test('one of fifty concurrent calls with one leased Idempotency-Key is carried out', async () => {
    const call = leased()
    let begun = 0
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, () =>
        once(call, async () => {
          begun += 1
          await waitFor(async () => (await keyRows()).length > 0)
          return approved
        }),
      ),
    )
    expect(begun).toBe(1)
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') expect(outcome.value).toMatchObject(approved)
      else expect(outcome.reason).toMatchObject(conflict)
    }
  })

  test('a leased call that throws keeps what its own transactions have committed', async () => {
    const call = leased()
    const failing = once(call, async () => {
      await makeBranch('Centro')()
      throw new Error('the acquirer is unreachable')
    })
    await expect(failing).rejects.toThrow('the acquirer is unreachable')
    expect([await names(), await keyRows()]).toEqual([['Centro'], []])
    expect(await once(call, async () => approved)).toEqual(fresh(approved))
  })

  test('a repetition takes over a leased call after the lease of a dead process has expired, and not before', async () => {
    const call = leased()
    const dead = new Promise<never>(() => {})
    void once(call, () => dead)
    await waitFor(async () => (await keyRows()).length > 0)
    await expect(once(call, never)).rejects.toMatchObject(conflict)
    await later("lease_until = now() - interval '1 second'")
    const other = once({ ...call, body_hash: sha256('[]') }, never)
    await expect(other).rejects.toMatchObject({ code: 'idempotency_mismatch' })
    expect(await once(call, async () => approved)).toEqual(fresh(approved))
    expect(await once(call, never)).toEqual(replayed(approved))
  })

  test('a call that outlives its lease does not affect the call that took it over', async () => {
    const call = leased()
    const [slow, successor] = [Promise.withResolvers<HttpAnswer>(), Promise.withResolvers<HttpAnswer>()]
    const first = once(call, () => slow.promise)
    await waitFor(async () => (await keyRows()).length > 0)
    await later("lease_until = now() - interval '1 second'")
    const second = once(call, () => successor.promise)
    await waitFor(async () => (await keyRows())[0].lease_until > new Date())
    slow.reject(new Error('too late'))
    await expect(first).rejects.toThrow('too late')
    await expect(once(call, never)).rejects.toMatchObject(conflict)
    successor.resolve(approved)
    await second
    expect(await once(call, never)).toEqual(replayed(approved))
  })

  test('a leased call that answered 202 may be repeated at once, with the same body only', async () => {
    const call = leased()
    const pending = { status: 202, body: '{"status":"pending"}' }
    expect(await once(call, async () => pending)).toEqual(fresh(pending))
    const other = once({ ...call, body_hash: sha256('[]') }, never)
    await expect(other).rejects.toMatchObject({ code: 'idempotency_mismatch' })
    expect(await once(call, async () => approved)).toEqual(fresh(approved))
  })
})

describe.each([undefined, 'at_once', 'with_first_write'] as const)('idempotent calls, with the lease %s', lease => {
  const once = (call: KeyedCall, work: () => Promise<HttpAnswer>) => idempotency.once(call, writingFirst(lease, work))
  const answer = { status: 200, body: '{"done":true}' }

  test('another body with the same Idempotency-Key is rejected with 422', async () => {
    const call = keyedCall({ lease })
    await once(call, async () => answer)
    const other = once({ ...call, body_hash: sha256('[]') }, never)
    await expect(other).rejects.toMatchObject({ code: 'idempotency_mismatch', status: 422 })
  })

  test('calls with different Idempotency-Keys do not affect each other', async () => {
    await once(keyedCall({ lease }), async () => answer)
    const other = { status: 200, body: '{"done":false}' }
    expect(await once(keyedCall({ lease }), async () => other)).toEqual(fresh(other))
  })

  test('a replayed answer sets the correlation id and merchant of the first call', async () => {
    const call = keyedCall({ lease })
    const about = { correlation_id: newId('corr'), merchant_id: newId('mrc') }
    await withCallContext(about, () => once(call, async () => answer))
    const known = await withCallContext({}, async () => {
      await once(call, never)
      return currentCall()
    })
    expect(known).toMatchObject(about)
  })

  test('an answer is replayed for a day, and then its Idempotency-Key can be used again', async () => {
    const call = keyedCall({ lease })
    await once(call, async () => answer)
    await later("created_at = now() - interval '23 hours 59 minutes'")
    expect(await once(call, never)).toEqual(replayed(answer))
    await later("created_at = now() - interval '24 hours 1 minute'")
    const second = { status: 200, body: '{"done":"again"}' }
    expect(await once({ ...call, body_hash: sha256('[]') }, async () => second)).toEqual(fresh(second))
    expect(await once({ ...call, body_hash: sha256('[]') }, never)).toEqual(replayed(second))
  })

  test('an answer that contains a secret is stored encrypted', async () => {
    const call = keyedCall({ lease, secret: true })
    const listening = { status: 201, body: '{"key":"vk_test_canary"}' }
    await once(call, async () => listening)
    expect(JSON.stringify(await keyRows())).not.toContain('canary')
    // The stored hash cannot be used to test guesses of the body either.
    expect((await keyRows())[0].body_hash).not.toBe(call.body_hash)
    const other = once({ ...call, body_hash: sha256('[]') }, never)
    await expect(other).rejects.toMatchObject({ code: 'idempotency_mismatch' })
    expect(await once(call, never)).toEqual(replayed(listening))
    const rotated = idempotencyOf({ db, keys: [{ id: 'e2', bytes: secret(randomBytes(32)) }, ...keys], logger })
    expect(await rotated.once(call, writingFirst(lease, never))).toEqual(replayed(listening))
  })

  test('an answer that contains a secret is not stored without encryption keys', async () => {
    const keyless = idempotencyOf({ db, logger })
    const listening = { status: 201, body: '{"key":"vk_test_canary"}' }
    const call = keyless.once(
      keyedCall({ lease, secret: true }),
      writingFirst(lease, async () => listening),
    )
    await expect(call).rejects.toThrow('needs encryption keys')
    expect(await keyRows()).toEqual([])
  })

  test('a call is not carried out while the database of its Idempotency-Key is unavailable', async () => {
    const unreachable = world.open({ url: 'postgres://unknown:x@127.0.0.1:1/none' })
    const call = idempotencyOf({ db: unreachable, logger }).once(
      keyedCall({ lease }),
      writingFirst(lease, never, unreachable),
    )
    await expect(call).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    })
  })
})

test('a lease that was taken without a reply is given back, so that the call can be repeated', async () => {
  const call = keyedCall({ lease: 'at_once' })
  let replies = false
  const execute: Database['execute'] = async (sql, params) => {
    const rows = await db.execute<any>(sql, params)
    if (!replies && sql.startsWith('insert')) throw new Error('Connection terminated unexpectedly')
    return rows
  }
  const cut = idempotencyOf({ db: { ...db, execute }, keys, logger })
  await expect(cut.once(call, never)).rejects.toThrow('Connection terminated')
  expect(await keyRows()).toEqual([])
  replies = true
  expect(await cut.once(call, makeBranch('Centro'))).toMatchObject({ status: 201, replayed: false })
})

test('a lease is taken in the transaction of the first write, and kept with it if the process dies', async () => {
  const call = keyedCall({ lease: 'with_first_write' })
  const held: number[] = []
  const refused = idempotency.once(call, async () => {
    held.push((await keyRows()).length)
    await db.write(async tx => {
      addBranch(tx, 'Centro')
      await tx.flush()
      held.push((await keyRows()).length)
      throw new Error('changed my mind')
    })
    return { status: 200, body: '{}' }
  })
  await expect(refused).rejects.toThrow('changed my mind')
  expect([held, await names(), await keyRows()]).toEqual([[0, 0], [], []])
  void idempotency.once(call, async () => {
    await makeBranch('Centro')()
    return new Promise<never>(() => {})
  })
  await waitFor(async () => (await names()).length > 0)
  expect(await keyRows()).toHaveLength(1)
  await expect(idempotency.once(call, makeBranch('Norte'))).rejects.toMatchObject(conflict)
  expect(await names()).toEqual(['Centro'])
})

test('a lease is taken by the next write if the first one failed, and once if it is repeated after a deadlock', async () => {
  const call = keyedCall({ lease: 'with_first_write' })
  let tries = 0
  const answer = await idempotency.once(call, async () => {
    await db.write(() => Promise.reject(new Error('changed my mind'))).catch(() => undefined)
    await db.write(async tx => {
      tries += 1
      if (tries === 1) await tx.execute(`do $$ begin raise exception 'x' using errcode = '40P01'; end $$`)
    })
    const [{ lease_until }] = await keyRows()
    return { status: 200, body: JSON.stringify({ leased: lease_until > new Date() }) }
  })
  expect([tries, answer.body]).toEqual([2, '{"leased":true}'])
})

test('pruning Idempotency-Keys deletes expired answers and keeps the others', async () => {
  const [old, young] = [keyedCall(), keyedCall()]
  await idempotency.once(old, async () => ({ status: 200, body: '{}' }))
  await later("created_at = now() - interval '25 hours'")
  await idempotency.once(young, async () => ({ status: 200, body: '{}' }))
  await idempotency.prune()
  expect((await keyRows()).map(row => row.id)).toEqual([young.id])
})
