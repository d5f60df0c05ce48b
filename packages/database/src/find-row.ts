import type { EntityName, EntitySchema } from '@mikro-orm/postgresql'
import { convertRow, quoted, type RowData, type Shape, shapeOf, valuesOf } from './row-columns.ts'
import { trackedRows } from './tracked-rows.ts'
import type { Reader } from './transaction.ts'

/** Columns that a row must have these values in. With null, no row would be found. */
export type ColumnValues<T> = { [K in keyof RowData<T>]?: NonNullable<RowData<T>[K]> }

/** The start of a `select` of all columns. */
const selects = new WeakMap<Shape, string>()

/**
 * Finds a row by its primary key or other columns that identify it, and can lock it until the transaction ends. Like
 * `findOne`, but reads the row even if it is loaded, and discards its unsaved changes. MikroORM takes longer to
 * build its query and its entity than Postgres to execute it, so the paths of a payment find their rows here.
 *
 * The row is a plain object. In a transaction its changes are written as those of an entity are, and it is the same object each
 * time. MikroORM's `find` and `findOne` see them, but return another object for the row: change only one of the two. `assign`
 * and `remove` take entities only.
 */
export async function findRow<T extends object>(
  em: Reader,
  entity: EntitySchema<T>,
  where: ColumnValues<NoInfer<T>>,
  options: { lock?: boolean } = {},
): Promise<T | null> {
  const condition = valuesOf(Object.keys(where), ' and ')
  const [row] = await findRows(
    em,
    entity,
    `${condition} limit 1${options.lock ? ' for update' : ''}`,
    Object.values(where),
  )
  return row ?? null
}

/** Finds the rows that fulfil a condition in SQL. It may end with an order, a limit and a lock. */
export async function findRows<T extends object>(
  em: Reader,
  entity: EntitySchema<T>,
  condition: string,
  params: unknown[],
): Promise<T[]> {
  const rows = await em.execute<object[]>(`${selectOf(em, entity)} where ${condition}`, params)
  return rows.map(row => mapRow(em, entity, row))
}

/** Returns a row as `findRow` does, from the values of its columns as a statement returned them. Changes that object. */
export function mapRow<T extends object>(em: Reader, entity: EntitySchema<T>, found: object): T {
  const shape = shapeOf(em, entity)
  return (trackedRows(em)?.read(shape, found) ?? convertRow(shape, found)) as T
}

/** Returns the quoted columns of an entity, to select its rows with those of another table: `*` has no stable plan. */
export function columnsOf<T extends object>(em: Reader, entity: EntityName<T>): string[] {
  return shapeOf(em, entity).read.map(quoted)
}

function selectOf<T extends object>(em: Reader, entity: EntitySchema<T>): string {
  const shape = shapeOf(em, entity)
  const known = selects.get(shape)
  if (known) return known
  const select = `select ${columnsOf(em, entity).join(', ')} from ${shape.table}`
  selects.set(shape, select)
  return select
}
