import type { EntitySchema, Opt, RequiredEntityData } from '@mikro-orm/postgresql'
import type { Tx } from './transaction.ts'

/** The columns of an entity, without MikroORM's `Opt` markers. */
export type RowData<T> = {
  [K in keyof T & string]: T[K] extends Opt<infer Plain> | null ? Plain | Extract<T[K], null> : T[K]
}

type OptionalColumn<T> = { [K in keyof T & string]: null extends T[K] ? K : T[K] extends Opt ? K : never }[keyof T &
  string]

/** The columns of a new row: one that is nullable or has a default may be left out. */
export type NewRow<T> = Omit<RowData<T>, OptionalColumn<T>> & Partial<Pick<RowData<T>, OptionalColumn<T>>>

/**
 * Creates a row that is inserted when the transaction flushes. Sets omitted nullable fields to
 * null, so that responses and events show the row as later reads will return it.
 */
export function newRow<T extends object>(tx: Tx, entity: EntitySchema<T>, data: NewRow<NoInfer<T>>): T {
  const nullable = tx
    .getMetadata(entity)
    .props.filter(prop => prop.nullable)
    .map(prop => [prop.name, null])
  return tx.create(entity, { ...Object.fromEntries(nullable), ...data } as RequiredEntityData<T>)
}

/** Assigns changed columns with their types, which `assign` cannot check for a generic row. */
export function assignRow<T extends object>(tx: Tx, row: T, changes: Partial<RowData<NoInfer<T>>>): void
export function assignRow(tx: Tx, row: object, changes: object): void {
  tx.assign(row, changes)
}
