import { withoutSpan } from '@cobro/runtime'
import type { MikroORM } from '@mikro-orm/postgresql'
import type { PoolClient, QueryResult } from 'pg'
import { isDatabaseUnavailable, isTransactionAborted } from './database-errors.ts'
import { trackRows } from './tracked-rows.ts'
import type { Tx } from './transaction.ts'

/** Returns the text of a statement, and appends its values to those given. */
export type CompileTo = (values: unknown[]) => string

/** The statements at the end of a transaction. */
interface Ending {
  /** Executes the writes that are left. */
  rest: () => Promise<unknown>
  /** Compiles the last write, if there is one. */
  last: (values: unknown[]) => string | undefined
  /** A read that is sent together with the commit, and sees what is committed. */
  next?: CompileTo | undefined
}

/** What came of a commit. */
export interface Committed {
  /** The rows of the last write. */
  rows: object[]
  /** What the next read returned. Undefined if nothing had to be committed. */
  next?: PromiseSettledResult<QueryResult | undefined>
}

/** What a statement did. */
export interface Executed {
  rows: object[]
  affectedRows: number
}

/** Writes that are sent as one statement. Their places for values count through all of them. */
interface CombinedWrites {
  texts: string[]
  values: unknown[]
}

const maxCombined = 8
const isWrite = (text: string): boolean => /^\s*(?:insert|update)\b/i.test(text)
const isRead = (text: string): boolean => /^\s*select\b/i.test(text)
const returnsRows = (text: string): boolean => /\breturning\b/i.test(text)

/**
 * A transaction on a connection of its own, through which MikroORM executes its statements. It begins with the first one.
 * The writes that are left at the end are combined into one statement, which is sent together with the commit: MikroORM's own
 * transactions send each write on its own and wait for each answer. If nothing else was executed, that statement is all.
 */
export class OpenTransaction {
  readonly #orm: MikroORM
  #connected: Promise<PoolClient> | undefined
  #begun: Promise<PoolClient> | undefined
  /** Whether only reads were executed so far. They are sent without waiting for the begin. */
  #onlyReads = true
  #ended = false
  #combined: CombinedWrites | undefined

  /** Makes the entity manager execute its statements in this transaction. */
  constructor(orm: MikroORM, tx: Tx) {
    this.#orm = orm
    // MikroORM only hands it on to the connection, whose `execute` is ours.
    tx.setTransactionContext(this)
    trackRows(tx)
  }

  async execute(compileTo: CompileTo): Promise<Executed> {
    if (this.#combined) return this.#executeCombined(this.#combined, compileTo)
    const values: unknown[] = []
    return this.#send(compileTo(values), values)
  }

  /**
   * Commits after the writes that are left. The commit is sent without waiting for the last statement: if Postgres rejects that, it
   * rolls back. That `pg` does not even send it cannot happen: `compileStatement` rejects the values that `pg` does not know.
   */
  async commit({ rest, last, next }: Ending): Promise<Committed> {
    const combined: CombinedWrites = { texts: [], values: [] }
    this.#combined = combined
    await rest()
    const begun = await this.#begun
    const lastText = last(combined.values)
    if (lastText) combined.texts.push(lastText)
    this.#ended = true
    if (!begun) return this.#writeAlone(combined, next)
    const written = combined.texts.length > 0 ? begun.query(textOf(combined), combined.values) : undefined
    const [rows, commit, read] = await Promise.allSettled([written, begun.query('commit'), queryNext(begun, next)])
    begun.release(commit.status === 'rejected' || isLost(rows) || isLost(read))
    if (rows.status === 'rejected') throw rows.reason
    if (commit.status === 'rejected') throw commit.reason
    // Postgres answers so to the commit of a transaction in which a statement has failed.
    if (commit.value.command === 'ROLLBACK')
      throw new Error('The transaction was rolled back: one of its statements failed.')
    return { rows: rows.value?.rows ?? [], next: read }
  }

  /**
   * Rolls back, unless the transaction has ended. Never throws: if the connection is lost, the server rolls back by itself.
   * @param cause Why. If the server is unavailable, also as a standby that takes no writes, the connection is closed.
   */
  async rollback(cause?: unknown): Promise<void> {
    if (this.#ended) return
    this.#ended = true
    const client = await this.#begun?.catch(() => undefined)
    if (!client) return
    const lost = await client.query('rollback').then(
      () => false,
      () => true,
    )
    client.release(lost || isDatabaseUnavailable(cause))
  }

  async #executeCombined(combined: CombinedWrites, compileTo: CompileTo): Promise<Executed> {
    this.#requireOpen()
    const values = [...combined.values]
    const text = compileTo(values)
    if (isWrite(text)) {
      combined.texts.push(text)
      combined.values = values
      if (!returnsRows(text) && combined.texts.length < maxCombined) return { rows: [], affectedRows: 1 }
      return this.#sendCombined(combined)
    }
    await this.#sendCombined(combined)
    const own: unknown[] = []
    return this.#send(compileTo(own), own)
  }

  async #sendCombined(combined: CombinedWrites): Promise<Executed> {
    if (combined.texts.length === 0) return { rows: [], affectedRows: 0 }
    const [text, values] = [textOf(combined), combined.values]
    Object.assign(combined, { texts: [], values: [] } satisfies CombinedWrites)
    return this.#send(text, values)
  }

  /** Statements are sent in the order of these calls. The first one begins the transaction. */
  #send(text: string, values: unknown[]): Promise<Executed> {
    this.#requireOpen()
    this.#connected ??= connect(this.#orm)
    this.#begun ??= this.#connected.then(beginOn)
    this.#onlyReads &&= isRead(text)
    return this.#onlyReads
      ? this.#sendWithBegin(this.#connected, this.#begun, text, values)
      : this.#sendAfter(this.#begun, text, values)
  }

  async #sendAfter(begun: Promise<PoolClient>, text: string, values: unknown[]): Promise<Executed> {
    const client = await begun
    this.#requireOpen()
    return executed(await client.query(text, values))
  }

  /**
   * Sends a read without waiting for the begin. If that fails, what was read is discarded. A write that was sent so would then be
   * committed on its own: `select` must not call functions that write.
   */
  async #sendWithBegin(connected: Promise<PoolClient>, begun: Promise<PoolClient>, text: string, values: unknown[]) {
    const [client, read] = await Promise.allSettled([begun, connected.then(one => one.query(text, values))])
    if (client.status === 'rejected') throw client.reason
    if (read.status === 'rejected') throw read.reason
    return executed(read.value)
  }

  #requireOpen(): void {
    if (this.#ended) throw new Error('The transaction has ended.')
  }

  /** A single statement needs no transaction around it. */
  async #writeAlone(combined: CombinedWrites, next: Ending['next']): Promise<Committed> {
    if (combined.texts.length === 0) return { rows: [] }
    const client = await connect(this.#orm)
    const written = client.query(textOf(combined), combined.values)
    const [write, read] = await Promise.allSettled([written, queryNext(client, next)])
    client.release(isLost(write) || isLost(read))
    if (write.status === 'rejected') throw write.reason
    return { rows: write.value.rows, next: read }
  }
}

/** Takes a connection from the pool, whose `release` has to be called. */
export async function connect(orm: MikroORM): Promise<PoolClient> {
  return (await orm.em.getConnection().getNativeClient()).connect()
}

/**
 * Whether the connection of a statement has to be closed. After a timeout `pg` closes it, but the pool does not know it yet; and one
 * to a standby would reject all later writes too.
 */
export const isLost = (settled: PromiseSettledResult<unknown>): boolean =>
  settled.status === 'rejected' && isDatabaseUnavailable(settled.reason)

async function queryNext(client: PoolClient, compileTo: Ending['next']): Promise<QueryResult | undefined> {
  if (!compileTo) return undefined
  const values: unknown[] = []
  return client.query(compileTo(values), values)
}

/** All writes but the last become table expressions of the last one. All of them see the database as it was before. */
function textOf({ texts }: CombinedWrites): string {
  const last = texts.at(-1) ?? ''
  if (texts.length === 1) return last
  const expressions = texts.slice(0, -1).map((text, index) => `write_${index} as (${text})`)
  return `with ${expressions.join(', ')} ${last}`
}

/**
 * Waits for two parts of a transaction that run at the same time, and returns the result of the second. Throws what made it fail: a
 * part whose statement came later only knows that the transaction is aborted.
 */
export async function bothInTransaction<T>(first: Promise<unknown>, second: Promise<T>): Promise<T> {
  const settled = await Promise.allSettled([first, second])
  const reasons = settled.flatMap(part => (part.status === 'rejected' ? [part.reason] : []))
  if (reasons.length > 0) throw reasons.find(reason => !isTransactionAborted(reason)) ?? reasons[0]
  return second
}

/** Without a span: unlike a commit, which waits for the disk, a begin shows nothing. */
async function beginOn(client: PoolClient): Promise<PoolClient> {
  try {
    await withoutSpan(() => client.query('begin'))
    return client
  } catch (error) {
    client.release(true)
    throw error
  }
}

export function executed({ command, rowCount, rows }: QueryResult): Executed {
  return { rows, affectedRows: command === 'SELECT' ? rows.length : (rowCount ?? 0) }
}
