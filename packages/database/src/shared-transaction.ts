import { AsyncLocalStorage } from 'node:async_hooks'
import type { MikroORM } from '@mikro-orm/postgresql'
import { OpenTransaction } from './open-transaction.ts'
import { collectMessages, commitWithMessages, type Emit, type OutboxRow, type Send } from './outbox.ts'
import type { Tx } from './transaction.ts'

/** A function that writes in a transaction and publishes messages with it. */
type Work<T> = (tx: Tx, emit: Emit, send: Send) => Promise<T>

/** Queries that run when a shared transaction begins and before it commits. */
export interface TransactionHooks<T> {
  onBegin: (tx: Tx) => Promise<void>
  beforeCommit: (tx: Tx, result: T) => Promise<void>
}

/** A transaction that the first write of some work begins and all its later writes share. */
interface SharedTransaction {
  orm: MikroORM
  /** The transaction's manager, once it has begun. */
  begun: Promise<Tx> | undefined
  begin: () => Promise<Tx>
  emit: Emit
  send: Send
  ended: boolean
  /** Called after the commit. */
  listeners: (() => void)[]
  /** The first failed write. It prevents the commit even if the caller caught the error. */
  failure: { error: unknown } | undefined
  /** Ends when all writes so far have ended: each write waits for the one before. */
  lastWrite: Promise<unknown>
}

const storage = new AsyncLocalStorage<SharedTransaction>()

/** Returns this database's shared transaction in the async context, or undefined without one. */
function activeTransaction(orm: MikroORM): SharedTransaction | undefined {
  const shared = storage.getStore()
  return shared?.orm === orm && !shared.ended ? shared : undefined
}

/** Returns whether writes join a shared transaction. */
export function isShared(orm: MikroORM): boolean {
  return activeTransaction(orm) !== undefined
}

/** Runs a write in the current shared transaction. Returns undefined if there is none. */
export function joinTransaction<T>(orm: MikroORM, work: Work<T>): Promise<T> | undefined {
  const shared = activeTransaction(orm)
  return shared && runInOrder(shared, work)
}

/** Calls `listener` after the shared transaction's commit, or at once if there is none. */
export function afterCommit(orm: MikroORM, listener: () => void): void {
  const shared = activeTransaction(orm)
  if (shared) shared.listeners.push(listener)
  else listener()
}

/** Runs a write after the previous ones. Rejects if one failed: the transaction is atomic. */
function runInOrder<T>(shared: SharedTransaction, work: Work<T>): Promise<T> {
  const written = shared.lastWrite.then(async () => {
    if (shared.failure) throw shared.failure.error
    const tx = await shared.begin()
    const value = await work(tx, shared.emit, shared.send)
    await tx.flush()
    return value
  })
  shared.lastWrite = written.catch(error => {
    shared.failure ??= { error }
  })
  return written
}

/** Returns the shared transaction if it has begun, so that reads see its uncommitted writes. */
export function sharedReader(orm: MikroORM): Promise<Tx> | undefined {
  return activeTransaction(orm)?.begun
}

/** The database and the manager of a shared transaction. */
interface SharedTarget {
  orm: MikroORM
  manager: Tx
}

/**
 * Runs `work` with one transaction for all of its writes. Returns its result, the rows
 * that it stored in the outbox, and the listeners to call after the commit.
 */
export async function runSharedTransaction<T>(
  target: SharedTarget & { schema: string },
  work: () => Promise<T>,
  { onBegin, beforeCommit }: TransactionHooks<T>,
): Promise<{ result: T; messages: OutboxRow[]; listeners: (() => void)[] }> {
  const { orm, schema, manager } = target
  const transaction = new OpenTransaction(orm, manager)
  const { shared, messages } = newShared(target, onBegin)
  try {
    const result = await storage.run(shared, work)
    const rest = async () => {
      const ending = runInOrder(shared, tx => beforeCommit(tx, result))
      // A write that starts now is too late for this transaction and gets its own.
      shared.ended = true
      await ending
    }
    const stored = await commitWithMessages(transaction, { rest }, { schema, messages })
    return { result, messages: stored.messages, listeners: shared.listeners }
  } catch (error) {
    await shared.lastWrite
    await transaction.rollback(error)
    throw error
  } finally {
    shared.ended = true
  }
}

/** Runs `work` with one transaction for all of its writes, and rolls it back. */
export async function runRehearsal<T>(target: SharedTarget, work: () => Promise<T>): Promise<T> {
  const transaction = new OpenTransaction(target.orm, target.manager)
  const { shared } = newShared(target, async () => undefined)
  try {
    const result = await storage.run(shared, work)
    await shared.lastWrite
    if (shared.failure) throw shared.failure.error
    return result
  } finally {
    await shared.lastWrite
    shared.ended = true
    await transaction.rollback()
  }
}

/** Returns a shared transaction that has not begun, and the messages that its writes will have emitted. */
function newShared({ orm, manager }: SharedTarget, onBegin: (tx: Tx) => Promise<void>) {
  const { messages, emit, send } = collectMessages()
  const begin = () => {
    shared.begun ??= onBegin(manager).then(() => manager)
    return shared.begun
  }
  const shared: SharedTransaction = {
    ...{ orm, begin, emit, send },
    begun: undefined,
    ended: false,
    listeners: [],
    failure: undefined,
    lastWrite: Promise.resolve(),
  }
  return { shared, messages }
}
