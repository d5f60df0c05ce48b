import { AsyncLocalStorage } from 'node:async_hooks'
import type { MikroORM } from '@mikro-orm/postgresql'
import { collectMessages, type Emit, type Send, storeMessages } from './outbox.ts'
import type { Tx } from './transaction.ts'

/** Work inside a transaction, with what publishes in it. */
type Work<T> = (tx: Tx, emit: Emit, send: Send) => Promise<T>

/** What is done as a joined transaction begins, and before it commits. */
export interface Joining<T> {
  first: (tx: Tx) => Promise<void>
  last: (tx: Tx, result: T) => Promise<void>
}

/** A transaction that begins with its first write and is shared by all that come after it. */
interface Unit {
  orm: MikroORM
  /** The transaction's manager, once it has begun. */
  begun: Promise<Tx> | undefined
  begin: () => Promise<Tx>
  emit: Emit
  send: Send
  ended: boolean
  /** What is to be told of the commit. */
  listeners: (() => void)[]
  /** The first failure of a write: what it had written must not be committed, whoever caught it. */
  failure: { error: unknown } | undefined
  /** The end of the writes so far: each waits for the one before. */
  tail: Promise<unknown>
}

const units = new AsyncLocalStorage<Unit>()

/** The transaction of this database that the work in hand shares, if it shares one. */
function unitOf(orm: MikroORM): Unit | undefined {
  const unit = units.getStore()
  return unit?.orm === orm && !unit.ended ? unit : undefined
}

/** Runs a write in the transaction that the work in hand shares. Gives undefined where it shares none. */
export function joinWrite<T>(orm: MikroORM, work: Work<T>): Promise<T> | undefined {
  const unit = unitOf(orm)
  return unit && writeIn(unit, work)
}

/** Has `listener` called after the commit of the transaction that the work in hand shares; at once where it shares none. */
export function afterCommit(orm: MikroORM, listener: () => void): void {
  const unit = unitOf(orm)
  if (unit) unit.listeners.push(listener)
  else listener()
}

/** Runs a write after those before it. After one that failed there is no other: `write` is all or nothing, also here. */
function writeIn<T>(unit: Unit, work: Work<T>): Promise<T> {
  const written = unit.tail.then(async () => {
    if (unit.failure) throw unit.failure.error
    const tx = await unit.begin()
    const value = await work(tx, unit.emit, unit.send)
    await tx.flush()
    return value
  })
  unit.tail = written.catch(error => {
    unit.failure ??= { error }
  })
  return written
}

/** The shared transaction as far as it has begun: what was written in it must be seen by reads that follow. */
export function joinedReader(orm: MikroORM): Promise<Tx> | undefined {
  return unitOf(orm)?.begun
}

/**
 * Runs `work` with one transaction for all that it writes. Gives its result, how many messages it left in the outbox, and whom
 * to tell of the commit.
 */
export async function joinWrites<T>(
  target: { orm: MikroORM; schema: string; manager: Tx },
  work: () => Promise<T>,
  { first, last }: Joining<T>,
): Promise<{ result: T; messages: number; listeners: (() => void)[] }> {
  const { orm, schema, manager } = target
  const { messages, emit, send } = collectMessages()
  const begin = () => {
    unit.begun ??= manager.begin().then(() => first(manager).then(() => manager))
    return unit.begun
  }
  const unit: Unit = {
    orm,
    begun: undefined,
    begin,
    emit,
    send,
    ended: false,
    listeners: [],
    failure: undefined,
    tail: Promise.resolve(),
  }
  try {
    const result = await units.run(unit, work)
    await writeIn(unit, tx => last(tx, result))
    await storeMessages(manager, schema, messages)
    await manager.commit()
    return { result, messages: messages.length, listeners: unit.listeners }
  } catch (error) {
    await unit.tail
    // Where the connection is gone there is nothing to undo, and the first failure is the one to tell.
    if (unit.begun && manager.isInTransaction()) await manager.rollback().catch(() => undefined)
    throw error
  } finally {
    unit.ended = true
  }
}
