import type { EntitySchema, Opt } from '@mikro-orm/postgresql'
import type { ColumnValues } from './find-row.ts'
import { type Row, type RowData, shapeOf } from './row-columns.ts'
import { type TrackedRows, trackedRows } from './tracked-rows.ts'
import type { Tx } from './transaction.ts'

type OptionalColumn<T> = { [K in keyof T & string]: null extends T[K] ? K : T[K] extends Opt ? K : never }[keyof T &
  string]

/** The columns of a new row: one that is nullable or has a default may be left out. */
export type NewRow<T> = Omit<RowData<T>, OptionalColumn<T>> & Partial<Pick<RowData<T>, OptionalColumn<T>>>

/**
 * Creates a row, a plain object, that is inserted when the transaction flushes or ends. Sets omitted nullable fields to
 * null, so that responses and events show the row as later reads will return it.
 */
export function newRow<T extends object>(tx: Tx, entity: EntitySchema<T>, data: NewRow<NoInfer<T>>): T
export function newRow(tx: Tx, entity: EntitySchema<object>, data: object): object {
  const shape = shapeOf(tx, entity)
  const given = data as Row
  const row: Row = {}
  for (const { name, nullable } of shape.columns) {
    const value = given[name]
    if (value !== undefined) row[name] = value
    else if (nullable) row[name] = null
  }
  for (const { name, initial } of shape.columns) if (initial && row[name] === undefined) row[name] = initial(row)
  trackedOf(tx).create(shape, row)
  return row
}

/** Changes columns of a row that need not be read. */
export function updateRow<T extends object>(
  tx: Tx,
  entity: EntitySchema<T>,
  key: ColumnValues<NoInfer<T>>,
  changes: Partial<RowData<NoInfer<T>>>,
): void
export function updateRow(tx: Tx, entity: EntitySchema<object>, key: object, changes: object): void {
  Object.assign(trackedOf(tx).refer(shapeOf(tx, entity), key as Row), changes)
}

/** Adds an insert or update without result to the writes of the next flush or the end, after the rows. */
export function writeLast(tx: Tx, sql: string, values: unknown[]): void {
  trackedOf(tx).addLast({ sql, values })
}

/** Assigns changed columns with their types, which `Object.assign` does not check. */
export function assignRow<T extends object>(row: T, changes: Partial<RowData<NoInfer<T>>>): void {
  Object.assign(row, changes)
}

function trackedOf(tx: Tx): TrackedRows {
  const rows = trackedRows(tx)
  if (!rows) throw new Error('Rows are created and changed in a transaction only.')
  return rows
}
