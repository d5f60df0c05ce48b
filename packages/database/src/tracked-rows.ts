import { convertRow, type Row, type Shape } from './row-columns.ts'
import { type RowChange, type Write, writesOf } from './row-statements.ts'
import type { Reader, Tx } from './transaction.ts'

/** A row that the database has, and what is stored there: a snapshot for each of `shape.columns`. */
interface StoredRow {
  row: Row
  stored: unknown[]
}

/** The property of an entity manager that has its rows. With a `WeakMap`, collecting them takes longer. */
const tracked = Symbol('tracked rows')

/**
 * The rows that a transaction has read with `findRow` or created with `newRow`: plain objects. `flush` and the end of the
 * transaction write those that are new, in the order of their creation, those that were changed, and what `writeLast` added.
 * A row that MikroORM has loaded before stays MikroORM's.
 */
export class TrackedRows {
  readonly #tx: Tx
  readonly #stored = new Map<Shape, Map<unknown, StoredRow>>()
  #created: { shape: Shape; row: Row }[] = []
  #last: Write[] = []
  /** The last write that has not ended, or the first that has failed. */
  #writing: Promise<void> | undefined

  constructor(tx: Tx) {
    this.#tx = tx
  }

  /** Returns the row that `pg` returned. A row is always the same object, with the values as they were last read. */
  read(shape: Shape, found: object): Row {
    if (this.#copyOf(shape, found as Row)) return this.#tx.map(shape.metadata.class, found) as Row
    const row = convertRow(shape, found)
    return this.#store(shape, row, snapshotOf(shape, row))
  }

  /** Returns a row of which only the key is known, unless it was read or created. */
  refer(shape: Shape, key: Row): Row {
    const copy = this.#copyOf(shape, key)
    if (copy) return copy as Row
    const id = keyOf(shape, key)
    const created = this.#created.find(one => one.shape === shape && keyOf(shape, one.row) === id)
    const known = created ?? this.#stored.get(shape)?.get(id)
    return known ? known.row : this.#store(shape, { ...key }, snapshotOf(shape, key))
  }

  create(shape: Shape, row: Row): void {
    this.#created.push({ shape, row })
  }

  addLast(write: Write): void {
    this.#last.push(write)
  }

  /** Returns whether a query for rows of an entity would not see some changes. */
  hasChanges(entity: object): boolean {
    if (this.#created.some(({ shape }) => shape.metadata === entity)) return true
    const rows = [...this.#stored].flatMap(([shape, ofShape]) =>
      shape.metadata === entity ? [...ofShape.values()].map(one => ({ shape, one })) : [],
    )
    return rows.some(({ shape, one }) => changesOf(shape, one, snapshotOf(shape, one.row)).length > 0)
  }

  /**
   * Writes what is new or changed, after the writes of earlier calls. Once a write has failed all later ones fail, so that a caller that
   * goes on cannot commit without it.
   */
  async write(): Promise<void> {
    const own = this.#writing ? this.#writing.then(() => this.#writeChanges()) : this.#writeChanges()
    this.#writing = own
    await own
    if (this.#writing === own) this.#writing = undefined
  }

  async #writeChanges(): Promise<void> {
    const inserts = this.#created.map(({ shape, row }): RowChange => {
      const stored = snapshotOf(shape, row)
      // The database sets the columns without a value.
      return { shape, row, stored, columns: [...stored.keys()].filter(at => stored[at] !== undefined) }
    })
    // A row that was deleted and created again is a new one.
    for (const { shape, row } of inserts) this.#stored.get(shape)?.delete(keyOf(shape, row))
    const updates = [...this.#stored].flatMap(([shape, rows]) =>
      [...rows.values()].flatMap(one => this.#changeOf(shape, one) ?? []),
    )
    this.#created = []
    for (const { shape, row, stored } of inserts) this.#store(shape, row, stored)
    const last = this.#last
    this.#last = []
    for (const { sql, values } of [...writesOf(inserts, updates), ...last]) await this.#tx.execute(sql, values)
  }

  /** Forgets all rows without writing them. */
  clear(): void {
    this.#created = []
    this.#last = []
    this.#stored.clear()
  }

  #store(shape: Shape, row: Row, stored: unknown[]): Row {
    const rows = this.#stored.get(shape) ?? new Map<unknown, StoredRow>()
    this.#stored.set(shape, rows)
    const key = keyOf(shape, row)
    const known = rows.get(key)
    if (!known) rows.set(key, { row, stored })
    else {
      Object.assign(known.row, row)
      // A read leaves lazy columns out.
      known.stored = stored.map((value, at) => (value === undefined ? known.stored[at] : value))
    }
    return known?.row ?? row
  }

  #changeOf(shape: Shape, one: StoredRow): RowChange | undefined {
    const { row } = one
    let now = snapshotOf(shape, row)
    if (changesOf(shape, one, now).length === 0) return undefined
    if (this.#hasChangedCopy(shape, row)) throw new Error(`A row of ${shape.table} and MikroORM's copy were changed.`)
    for (const { name, onUpdate } of shape.updated) {
      const value = onUpdate(row)
      if (value !== undefined) row[name] = value
    }
    if (shape.updated.length > 0) now = snapshotOf(shape, row)
    const columns = changesOf(shape, one, now)
    one.stored = now
    return { shape, row, stored: now, columns }
  }

  /** Returns MikroORM's entity of the row, if it has loaded one. */
  #copyOf({ metadata, key }: Shape, row: Row): object | undefined {
    const unit = this.#tx.getUnitOfWork(false)
    if (unit.getIdentityMap().getStore(metadata.root).size === 0) return undefined
    const values = key.map(name => row[name])
    return unit.getById(metadata.class, values, undefined, true)
  }

  #hasChangedCopy(shape: Shape, row: Row): boolean {
    const copy = this.#copyOf(shape, row)
    if (!copy) return false
    const original = this.#tx.getUnitOfWork(false).getOriginalEntityData(copy) ?? {}
    const comparator = this.#tx.getComparator()
    return !comparator.matching(shape.metadata.class, original, comparator.prepareEntity(copy))
  }
}

/**
 * Makes an entity manager track the rows of its transaction. `flush` also writes these, and so do MikroORM's queries for rows of
 * an entity with changes, as they do for MikroORM's own.
 */
export function trackRows(tx: Tx): void {
  const rows = new TrackedRows(tx)
  Object.assign(tx, { [tracked]: rows })
  const { flush, tryFlush, clear } = tx
  tx.flush = async () => {
    await rows.write()
    if (!isEmpty(tx)) await flush.call(tx)
  }
  // MikroORM calls it before each query for rows of an entity.
  tx.tryFlush = async (entity, options) => {
    if (rows.hasChanges(tx.getMetadata(entity))) await tx.flush()
    await Reflect.apply(tryFlush, tx, [entity, options])
  }
  tx.clear = () => {
    rows.clear()
    clear.call(tx)
  }
}

/** Returns whether MikroORM has no entities that it would have to compare. */
function isEmpty(tx: Tx): boolean {
  const unit = tx.getUnitOfWork(false)
  return (
    unit.getPersistStack().size === 0 && unit.getRemoveStack().size === 0 && unit.getIdentityMap().values().length === 0
  )
}

/** Returns the rows of the transaction that an entity manager is of, if it is of one. */
export function trackedRows(em: Reader): TrackedRows | undefined {
  return Reflect.get(em, tracked)
}

const snapshotOf = (shape: Shape, row: Row): unknown[] => shape.columns.map(({ name, snapshot }) => snapshot(row[name]))

const keyOf = ({ key }: Shape, row: Row): unknown =>
  key.length === 1 ? row[key[0] as string] : JSON.stringify(key.map(name => row[name]))

/** Returns the positions of the columns whose values are not the stored ones. A column that was not read is changed by any value. */
function changesOf({ columns }: Shape, { stored }: StoredRow, now: unknown[]): number[] {
  const changes: number[] = []
  for (const [at, { isSame }] of columns.entries()) {
    const [before, value] = [stored[at], now[at]]
    if (before === value) continue
    const isNull = before === null || before === undefined || value === null || value === undefined
    // What is null is not changed by leaving it out.
    if (isNull ? value !== undefined || before !== null : !isSame(before, value)) changes.push(at)
  }
  return changes
}
