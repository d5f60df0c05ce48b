import { type EntityManager, MikroORM, type Options } from '@mikro-orm/postgresql'
import { parseIntoClientConfig } from 'pg-connection-string'
import { bindValues } from './bound-values.ts'
import { coalescingSocket } from './coalescing-socket.ts'
import { isDatabaseUnavailable, isRetryable } from './database-errors.ts'
import { asFirstWrite, withFirstWrite } from './first-write.ts'
import { OpenTransaction } from './open-transaction.ts'
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
import { nameStatements } from './statement-names.ts'
import type { Reader, Tx } from './transaction.ts'
import { writeChanges } from './write-changes.ts'

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
   * Like `write`, but always in its own transaction, which persists if a shared one is rolled back.
   * Call it before the first shared write, or it may wait for that transaction's locks.
   */
  writeSeparately<T>(work: (tx: Tx, emit: Emit, send: Send) => Promise<T>): Promise<T>
  /**
   * Runs `work` with one transaction for all of its writes to this database, one after another.
   * It begins with the first write, after slow preparation; later reads see its writes. `onBegin` runs when it begins,
   * `beforeCommit` before it commits, even if `work` writes nothing. As with `write`, all runs again after a deadlock.
   */
  withSharedTransaction<T>(work: () => Promise<T>, hooks: TransactionHooks<T>): Promise<T>
  /**
   * Runs `work`, whose first `write` also runs `onBegin` in its transaction, before its own work. Unlike with a shared
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

type Work<T> = (tx: Tx, emit: Emit, send: Send) => Promise<T>

interface DatabaseSettings {
  url: string
  schema: string
  entities: NonNullable<Options['entities']>
  poolSize?: number
  /** Postgres's `statement_timeout`, in milliseconds. */
  statementTimeoutMs?: number
  /** How long the client waits for a response, in ms; by default statement timeout plus 5 s. */
  queryTimeoutMs?: number
  /** `idle_in_transaction_session_timeout` in ms: Postgres ends the session and frees its locks. */
  idleInTransactionTimeoutMs?: number
}

const maxTries = 4
const noHooks = { onBegin: async () => undefined, beforeCommit: async () => undefined }
const defaultConnectTimeout = 3

/**
 * Time limits that keep statements, locks and idle transactions from holding a connection long.
 * The query timeout, above the statement timeout, is for a server that hangs without closing the connection. It includes the wait
 * for statements that were sent before, such as the one right before a commit.
 */
const timeLimits = {
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  lock_timeout: 10_000,
}

/** Opens a schema. Connects on first use: an unavailable database fails calls, not the start. */
export function openDatabase(settings: DatabaseSettings): Database {
  const orm = new MikroORM(ormOptions(settings))
  bindValues(orm)
  const listeners: ((rows: readonly OutboxRow[]) => void)[] = []
  const { schema } = settings
  const committed = <T>(done: { result: T; messages: OutboxRow[]; listeners?: (() => void)[] }): T => {
    if (done.messages.length > 0) for (const listener of listeners) listener(done.messages)
    for (const listener of done.listeners ?? []) listener()
    return done.result
  }
  const writeSeparately: Database['writeSeparately'] = async work =>
    committed(await retryDeadlocks(() => writeOnce(orm, schema, work)))
  const withSharedTransaction: Database['withSharedTransaction'] = async (work, hooks) =>
    committed(await retryDeadlocks(() => runSharedTransaction({ orm, schema, manager: ownManager(orm) }, work, hooks)))
  // Without an entity manager, which takes time to create.
  const executeAlone = <Row extends object>(sql: string, params: readonly unknown[]): Promise<Row[]> =>
    orm.em.getConnection().execute(sql, [...params])
  const reader = async () => (await sharedReader(orm)) ?? ownManager(orm)
  return {
    schema,
    orm,
    read: async work => work(await reader()),
    execute: async (sql, params = []) => {
      const shared = await sharedReader(orm)
      return shared ? shared.execute(sql, [...params]) : retryDeadlocks(() => executeAlone(sql, params))
    },
    executeWithEvents: async (expressions, params, emitAll) => {
      const { messages, emitFor } = collectEffectEvents()
      emitAll(emitFor)
      const statement = { expressions, params, messages }
      return committed(await retryDeadlocks(() => executeWithEvents(executeAlone, schema, statement)))
    },
    write: async work =>
      joinTransaction(orm, work) ?? asFirstWrite(orm, onBegin => writeSeparately(after(onBegin, work))),
    writeSeparately,
    withSharedTransaction,
    withFirstWrite: (work, onBegin) => withFirstWrite({ orm, onBegin }, work),
    inSharedTransaction: work => (isShared(orm) ? work() : withSharedTransaction(work, noHooks)),
    rehearse: work => retryDeadlocks(() => runRehearsal({ orm, manager: ownManager(orm) }, work)),
    afterCommit: listener => afterCommit(orm, listener),
    onMessages: listener => void listeners.push(listener),
    ping: () => ping(ownManager(orm)),
    close: () => orm.close(true),
  }
}

/**
 * Returns MikroORM's options for one schema, with a pool that connects lazily.
 * A call waits three seconds for a connection, or the URL's `connect_timeout`; unlike libpq's, it covers a full pool.
 */
export function ormOptions({
  url,
  schema,
  entities,
  poolSize = 16,
  statementTimeoutMs = 20_000,
  queryTimeoutMs = statementTimeoutMs + 5_000,
  idleInTransactionTimeoutMs = 30_000,
}: DatabaseSettings): Options {
  return {
    clientUrl: url,
    schema,
    entities,
    discovery: { warnWhenNoEntities: false },
    pool: { min: 0, max: poolSize },
    driverOptions: {
      connectionTimeoutMillis:
        (Number(new URL(url).searchParams.get('connect_timeout')) || defaultConnectTimeout) * 1_000,
      application_name: `cobro-${schema}`,
      ...tlsOptions(url),
      onPoolCreated: nameStatements,
      // A statement can be sent before the answer to the one before. A connection on which a query timed out is closed: pg could
      // not use it again.
      pipeline: true,
      stream: coalescingSocket,
      ...timeLimits,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
      query_timeout: queryTimeoutMs,
    },
    forceUtcTimezone: true,
    ensureDatabase: false,
    debug: false,
  } as Options
}

/**
 * Returns the TLS options in the URL: `sslmode`, `sslrootcert`, `sslcert`, `sslkey`. MikroORM ignores them.
 * pg checks the certificate of a server that is named by its address against `localhost`, unless it gets the `host`.
 */
function tlsOptions(url: string): object {
  const { ssl } = parseIntoClientConfig(url)
  return typeof ssl === 'object' ? { ssl: { ...ssl, host: new URL(url).hostname } } : { ssl }
}

/**
 * Returns an entity manager without MikroORM's ambient context, which ignores the context name:
 * queries would run in another database's transaction. Can go once mikro-orm/mikro-orm#3362 is fixed.
 */
function ownManager(orm: MikroORM): EntityManager {
  return orm.em.fork({ disableContextResolution: true })
}

async function ping(em: EntityManager): Promise<void> {
  const [row] = await em.execute<{ transaction_read_only: string }[]>('show transaction_read_only')
  if (row?.transaction_read_only === 'on') throw new Error('The database takes no writes.')
}

async function writeOnce<T>(orm: MikroORM, schema: string, work: Work<T>) {
  const { messages, emit, send } = collectMessages()
  const tx = ownManager(orm)
  const transaction = new OpenTransaction(orm, tx)
  try {
    const result = await work(tx, emit, send)
    return { result, messages: await commitWithMessages(transaction, () => writeChanges(tx), { schema, messages }) }
  } catch (error) {
    await transaction.rollback()
    throw error
  }
}

/** Returns a write that runs `onBegin` first, if there is one. */
function after<T>(onBegin: ((tx: Tx) => Promise<void>) | undefined, work: Work<T>): Work<T> {
  if (!onBegin) return work
  return async (tx, emit, send) => {
    await onBegin(tx)
    return work(tx, emit, send)
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
