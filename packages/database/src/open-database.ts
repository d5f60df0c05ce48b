import { type EntityManager, MikroORM } from '@mikro-orm/postgresql'
import type { Pool } from 'pg'
import { bindValues } from './bound-values.ts'
import { compileStatement } from './compile-statement.ts'
import { isDatabaseUnavailable, isRetryable } from './database-errors.ts'
import { asFirstWrite, withFirstWrite } from './first-write.ts'
import {
  bothInTransaction,
  type Committed,
  type CompileTo,
  connect,
  isLost,
  OpenTransaction,
} from './open-transaction.ts'
import { type DatabaseSettings, ormOptions } from './orm-options.ts'
import {
  collectEffectEvents,
  collectMessages,
  commitWithMessages,
  type Emit,
  type EmitFor,
  executeWithEvents,
  type OutboxRow,
  type Send,
} from './outbox.ts'
import {
  afterCommit,
  isShared,
  joinTransaction,
  runRehearsal,
  runSharedTransaction,
  sharedReader,
  type TransactionHooks,
} from './shared-transaction.ts'
import type { Reader, Tx } from './transaction.ts'

/** A service's database schema: reads, writes with events, and what relay and consumers need. */
export interface Database {
  readonly schema: string
  readonly orm: MikroORM
  /** Runs queries outside a transaction: reads, and single statements that need no event. */
  read<T>(work: (em: Reader) => Promise<T>): Promise<T>
  /**
   * Executes one statement that needs no event, outside a transaction, and returns its rows. After a deadlock,
   * serialization failure or outdated plan it is executed again.
   */
  execute<Row extends object>(sql: string, params?: readonly unknown[]): Promise<Row[]>
  /**
   * Executes one statement that also stores events. `expressions` are SQL table expressions, among them `effect (name)`.
   * `emitAll` emits the events of every effect that is possible; those of effects in the table are stored. Returns the
   * names in the table. Like `writeSeparately` it is always a transaction of its own; it is repeated like `execute`.
   */
  executeWithEvents(
    expressions: string,
    params: readonly unknown[],
    emitAll: (emitFor: EmitFor) => void,
  ): Promise<string[]>
  /**
   * Runs `work` in one transaction, which also stores the events and commands that it emits.
   * After a deadlock, serialization failure or outdated plan `work` runs again, so it must have no side effects outside of it.
   */
  write<T>(work: (tx: Tx, emit: Emit, send: Send) => Promise<T>): Promise<T>
  /**
   * Like `write`, and returns the rows of a read, which is sent together with the commit and sees what is committed. In a
   * shared transaction it sees what that has written. `read` returns undefined if there is nothing to read.
   */
  writeThenRead<T, Row extends object>(
    work: (tx: Tx, emit: Emit, send: Send) => Promise<T>,
    read: (result: T) => Statement | undefined,
  ): Promise<{ result: T; rows: Row[] }>
  /**
   * Like `write`, but always in its own transaction, which persists if a shared one is rolled back.
   * Call it before the first shared write, or it may wait for that transaction's locks. `beforeCommit` executes one of the last
   * writes, which are sent together.
   */
  writeSeparately<T>(
    work: (tx: Tx, emit: Emit, send: Send) => Promise<T>,
    beforeCommit?: (tx: Tx) => Promise<unknown>,
  ): Promise<T>
  /**
   * Runs `work` with one transaction for all of its writes to this database, one after another.
   * It begins with the first write, after slow preparation; later reads see its writes. `onBegin` runs when it begins,
   * `beforeCommit` before it commits, even if `work` writes nothing. As with `write`, all runs again after a deadlock.
   */
  withSharedTransaction<T>(work: () => Promise<T>, hooks: TransactionHooks<T>): Promise<T>
  /**
   * Runs `work`, whose first `write` also runs `onBegin` in its transaction, beside its own work. Unlike with a shared
   * transaction, each write commits by itself, and they must follow one another. Writes by `writeSeparately`, `execute`,
   * `executeWithEvents` and in a shared transaction do not count.
   */
  withFirstWrite<T>(work: () => Promise<T>, onBegin: (tx: Tx) => Promise<void>): Promise<T>
  /** Runs `work` in the current shared transaction, or with a new one for all of its writes. */
  inSharedTransaction<T>(work: () => Promise<T>): Promise<T>
  /**
   * Runs `work` with one transaction for all of its writes and rolls it back: it returns or throws what `work` would, without its
   * effects and events. It is no part of the current shared transaction. What `work` does by `writeSeparately` stays; it must not
   * use `executeWithEvents`, nor `execute` for changes.
   */
  rehearse<T>(work: () => Promise<T>): Promise<T>
  /**
   * Calls `listener` after the commit of the current shared transaction, or at once if there is
   * none. Never calls it if that transaction is rolled back.
   */
  afterCommit(listener: () => void): void
  /** Calls `listener` with the rows of each commit that stored messages in the outbox. */
  onMessages(listener: (rows: readonly OutboxRow[]) => void): void
  /** Rejects unless the database responds and accepts writes. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** A statement with a `?` for each of its values. */
export interface Statement {
  sql: string
  params: readonly unknown[]
}

type Work<T> = (tx: Tx, emit: Emit, send: Send) => Promise<T>

/** What `writeOnce` does at the end of its transaction. */
interface WriteEnding<T> {
  beforeCommit?: ((tx: Tx) => Promise<unknown>) | undefined
  read?: (result: T) => Statement | undefined
}

const maxTries = 4
const noHooks = { onBegin: async () => undefined, beforeCommit: async () => undefined }

/** Opens a schema. Connects on first use: an unavailable database fails calls, not the start. */
export function openDatabase(settings: DatabaseSettings): Database {
  const { orm, close } = openOrm(settings)
  const listeners: ((rows: readonly OutboxRow[]) => void)[] = []
  const { schema } = settings
  const committed = <T>(done: { result: T; messages: OutboxRow[]; listeners?: (() => void)[] }): T => {
    if (done.messages.length > 0) for (const listener of listeners) listener(done.messages)
    for (const listener of done.listeners ?? []) listener()
    return done.result
  }
  const writeWith = async <T>(work: Work<T>, ending: WriteEnding<T> = {}) => {
    const done = await retryDeadlocks(() => writeOnce({ orm, schema }, work, ending))
    return { result: committed(done), next: done.next }
  }
  const writeSeparately: Database['writeSeparately'] = async (work, beforeCommit) =>
    (await writeWith(work, { beforeCommit })).result
  const withSharedTransaction: Database['withSharedTransaction'] = async (work, hooks) =>
    committed(await retryDeadlocks(() => runSharedTransaction({ orm, schema, manager: ownManager(orm) }, work, hooks)))
  // Without an entity manager, which takes time to create.
  const executeAlone = <Row extends object>(sql: string, params: readonly unknown[]): Promise<Row[]> =>
    orm.em.getConnection().execute(sql, [...params])
  const reader = async () => (await sharedReader(orm)) ?? ownManager(orm)
  const execute: Database['execute'] = async (sql, params = []) => {
    const shared = await sharedReader(orm)
    return shared ? shared.execute(sql, [...params]) : retryDeadlocks(() => executeAlone(sql, params))
  }
  return {
    schema,
    orm,
    read: async work => work(await reader()),
    execute,
    executeWithEvents: async (expressions, params, emitAll) => {
      const { messages, emitFor } = collectEffectEvents()
      emitAll(emitFor)
      const statement = { expressions, params, messages }
      return committed(await retryDeadlocks(() => executeWithEvents(executeAlone, schema, statement)))
    },
    write: async work =>
      joinTransaction(orm, work) ?? asFirstWrite(orm, onBegin => writeSeparately(after(onBegin, work))),
    writeThenRead: async (work, read) => {
      const joined = joinTransaction(orm, work)
      const { result, next } = joined
        ? { result: await joined, next: undefined }
        : await asFirstWrite(orm, onBegin => writeWith(after(onBegin, work), { read }))
      return { result, rows: await rowsOf(read(result), next, execute) }
    },
    writeSeparately,
    withSharedTransaction,
    withFirstWrite: (work, onBegin) => withFirstWrite({ orm, onBegin }, work),
    inSharedTransaction: work => (isShared(orm) ? work() : withSharedTransaction(work, noHooks)),
    rehearse: work => retryDeadlocks(() => runRehearsal({ orm, manager: ownManager(orm) }, work)),
    afterCommit: listener => afterCommit(orm, listener),
    onMessages: listener => void listeners.push(listener),
    ping: () => ping(orm),
    close,
  }
}

function openOrm(settings: DatabaseSettings): { orm: MikroORM; close: () => Promise<void> } {
  const pools: Pool[] = []
  const orm = new MikroORM(ormOptions(settings, pool => pools.push(pool)))
  bindValues(orm)
  const close = async () => {
    await orm.close(true)
    // Kysely ends the pool only if it has sent statements itself.
    await Promise.all(pools.map(pool => pool.ending || pool.end()))
  }
  return { orm, close }
}

/**
 * Returns the rows of a read that was sent with the commit. If only its connection or its plan failed, executes it again: what was
 * written is committed.
 */
async function rowsOf<Row extends object>(
  statement: Statement | undefined,
  next: Committed['next'],
  execute: Database['execute'],
): Promise<Row[]> {
  if (!statement) return []
  if (next?.status === 'fulfilled' && next.value) return next.value.rows
  if (next?.status === 'rejected' && !isDatabaseUnavailable(next.reason) && !isRetryable(next.reason)) throw next.reason
  return execute<Row>(statement.sql, statement.params)
}

/**
 * Returns an entity manager without MikroORM's ambient context, which ignores the context name:
 * queries would run in another database's transaction. Can go once mikro-orm/mikro-orm#3362 is fixed.
 */
function ownManager(orm: MikroORM): EntityManager {
  return orm.em.fork({ disableContextResolution: true })
}

async function ping(orm: MikroORM): Promise<void> {
  const client = await connect(orm)
  const [shown] = await Promise.allSettled([client.query('show transaction_read_only')])
  const isReadOnly = shown.status === 'fulfilled' && shown.value.rows[0]?.transaction_read_only === 'on'
  client.release(isReadOnly || isLost(shown))
  if (shown.status === 'rejected') throw shown.reason
  if (isReadOnly) throw new Error('The database takes no writes.')
}

async function writeOnce<T>(
  { orm, schema }: { orm: MikroORM; schema: string },
  work: Work<T>,
  { beforeCommit, read }: WriteEnding<T>,
) {
  const { messages, emit, send } = collectMessages()
  const tx = ownManager(orm)
  const transaction = new OpenTransaction(orm, tx)
  const rest = async () => {
    await beforeCommit?.(tx)
    await tx.flush()
  }
  try {
    const result = await work(tx, emit, send)
    const statement = read?.(result)
    const next = statement && compiling(orm, statement)
    return { result, ...(await commitWithMessages(transaction, { rest, next }, { schema, messages })) }
  } catch (error) {
    await transaction.rollback(error)
    throw error
  }
}

const compiling =
  (orm: MikroORM, { sql, params }: Statement): CompileTo =>
  values =>
    compileStatement(orm.config.getPlatform(), { query: sql, params }, values)

/**
 * Returns a write that also runs `onBegin`, if there is one. The reads with which the work begins are sent first, together with the
 * begin, and `onBegin` while they run. Nothing is committed if it fails.
 */
function after<T>(onBegin: ((tx: Tx) => Promise<void>) | undefined, work: Work<T>): Work<T> {
  if (!onBegin) return work
  return (tx, emit, send) => {
    const worked = work(tx, emit, send)
    return bothInTransaction(onBegin(tx), worked)
  }
}

async function retryDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries >= maxTries || isDatabaseUnavailable(error) || !isRetryable(error)) throw error
    }
  }
}
