import { type EntityManager, MikroORM, type Options } from '@mikro-orm/postgresql'
import { isDatabaseUnavailable, isRetryable } from './database-errors.ts'
import { afterCommit, type Joining, joinedReader, joinWrite, joinWrites } from './joined-writes.ts'
import { reclaimLostClients } from './lost-clients.ts'
import { collectMessages, type Emit, type Send, storeMessages } from './outbox.ts'
import type { Reader, Tx } from './transaction.ts'

/** A service's own schema: reading, writing with events, and what the relay and the consumers need of it. */
export interface Database {
  readonly schema: string
  readonly orm: MikroORM
  /** Runs statements outside a transaction, each for itself: reads, and single statements that need no event. */
  read<T>(work: (em: Reader) => Promise<T>): Promise<T>
  /**
   * Runs `work` in one transaction. Events that it emits and commands that it sends are stored with it or not at all.
   * A deadlock or serialization failure is tried again from the start, so `work` must do nothing outside the transaction.
   */
  write<T>(work: (tx: Tx, emit: Emit, send: Send) => Promise<T>): Promise<T>
  /**
   * The same in a transaction of its own, also where the work in hand shares one: for what holds whatever becomes of that. It has
   * to come before the first write that is shared, or it might wait for it.
   */
  writeApart<T>(work: (tx: Tx, emit: Emit, send: Send) => Promise<T>): Promise<T>
  /**
   * Runs `work` with one transaction for all that it writes through this database. It begins with the first of these writes,
   * so that what takes long is done before it, and is seen by the reads that follow. `first` runs as it begins, `last` before
   * it commits, also where nothing else was written. As with `write`, a deadlock has all of it run again. Writes of one `work`
   * come one after another.
   */
  writeTogether<T>(work: () => Promise<T>, joining: Joining<T>): Promise<T>
  /**
   * Has `listener` called once what the work in hand has written is committed: at once, unless it writes together with what
   * follows. Where that comes to nothing it is never called.
   */
  afterCommit(listener: () => void): void
  /** Has `listener` called after each commit that left messages in the outbox. */
  onMessages(listener: () => void): void
  /** Fails unless the database answers and can be written to. */
  ping(): Promise<void>
  close(): Promise<void>
}

interface DatabaseSettings {
  url: string
  schema: string
  entities: NonNullable<Options['entities']>
  poolSize?: number
  /** How long the server works on one statement, in milliseconds. */
  statementMs?: number
  /** How long an answer of the server is waited for, in milliseconds; a little longer, where it is not said. */
  answerWithinMs?: number
  /** How long a transaction may stand still before the server ends it and gives free what it locked, in milliseconds. */
  standstillMs?: number
}

const maxTries = 4
const connectTimeoutMs = 3_000

/**
 * No statement, lock or idle transaction holds a connection for long, and a server that fell silent without closing the
 * connection is noticed: the client waits a little longer for an answer than the server would work on it.
 */
const timeLimits = {
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  lock_timeout: 10_000,
}

/** Opens a service's schema. Nothing is connected yet: a database that is away fails the calls that need it, not the start. */
export function openDatabase(settings: DatabaseSettings): Database {
  const orm = new MikroORM(ormOptions(settings))
  const listeners: (() => void)[] = []
  const { schema } = settings
  const committed = <T>(done: { result: T; messages: number; listeners?: (() => void)[] }): T => {
    if (done.messages > 0) for (const listener of listeners) listener()
    for (const listener of done.listeners ?? []) listener()
    return done.result
  }
  const apart: Database['writeApart'] = async work => committed(await retried(() => writeOnce(orm, schema, work)))
  return {
    schema,
    orm,
    read: async work => work((await joinedReader(orm)) ?? ownManager(orm)),
    write: async work => joinWrite(orm, work) ?? apart(work),
    writeApart: apart,
    writeTogether: async (work, joining) =>
      committed(await retried(() => joinWrites({ orm, schema, manager: ownManager(orm) }, work, joining))),
    afterCommit: listener => afterCommit(orm, listener),
    onMessages: listener => void listeners.push(listener),
    ping: () => ping(ownManager(orm)),
    close: () => orm.close(true),
  }
}

/** MikroORM's settings for one schema. The pool connects lazily and gives up after three seconds. */
export function ormOptions({
  url,
  schema,
  entities,
  poolSize = 16,
  statementMs = 20_000,
  answerWithinMs = statementMs + 5_000,
  standstillMs = 30_000,
}: DatabaseSettings): Options {
  return {
    clientUrl: url,
    schema,
    entities,
    discovery: { warnWhenNoEntities: false },
    pool: { min: 0, max: poolSize },
    driverOptions: {
      connectionTimeoutMillis: connectTimeoutMs,
      application_name: `cobro-${schema}`,
      onPoolCreated: reclaimLostClients,
      ...timeLimits,
      statement_timeout: statementMs,
      idle_in_transaction_session_timeout: standstillMs,
      query_timeout: answerWithinMs,
    },
    forceUtcTimezone: true,
    ensureDatabase: false,
    debug: false,
  } as Options
}

/** MikroORM would otherwise take after whatever transaction the caller happens to be in, be it another database's. */
function ownManager(orm: MikroORM): EntityManager {
  return orm.em.fork({ disableContextResolution: true })
}

async function ping(em: EntityManager): Promise<void> {
  const [row] = await em.execute<{ transaction_read_only: string }[]>('show transaction_read_only')
  if (row?.transaction_read_only === 'on') throw new Error('The database takes no writes.')
}

async function writeOnce<T>(orm: MikroORM, schema: string, work: (tx: Tx, emit: Emit, send: Send) => Promise<T>) {
  const { messages, emit, send } = collectMessages()
  const result = await ownManager(orm).transactional(async tx => {
    const value = await work(tx, emit, send)
    await tx.flush()
    await storeMessages(tx, schema, messages)
    return value
  })
  return { result, messages: messages.length }
}

async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries >= maxTries || isDatabaseUnavailable(error) || !isRetryable(error)) throw error
    }
  }
}
