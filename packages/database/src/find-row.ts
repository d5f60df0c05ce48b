import type { EntityName, EntitySchema } from '@mikro-orm/postgresql'
import type { RowData } from './new-row.ts'
import type { Reader } from './transaction.ts'

/** Columns that a row must have these values in. With null, no row would be found. */
export type ColumnValues<T> = { [K in keyof RowData<T>]?: NonNullable<RowData<T>[K]> }

/** The start of a `select` of all columns, by entity. */
const selects = new WeakMap<object, string>()

/**
 * Finds a row by its primary key or other columns that identify it, and can lock it until the transaction ends. Like
 * `findOne`, but reads the row even if it is loaded, and discards its unsaved changes. MikroORM takes longer to
 * build its query than Postgres to execute it, so the paths of a payment find their rows here.
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
  return rows.map(row => em.map(entity, row))
}

/** Returns the name of an entity's table with its schema. */
export function tableOf<T extends object>(em: Reader, entity: EntityName<T>): string {
  return em.getDriver().getTableName(em.getMetadata(entity), {}, false)
}

/** Returns the quoted columns of an entity, to select its rows with those of another table: `*` has no stable plan. */
export function columnsOf<T extends object>(em: Reader, entity: EntityName<T>): string[] {
  return em
    .getMetadata(entity)
    .props.filter(({ persist, lazy }) => persist !== false && !lazy)
    .map(({ name }) => quoted(name))
}

/** Quotes the name of a column, which is that of the entity's property. */
export const quoted = (column: string): string => `"${column}"`

/** Returns a condition or an assignment for each column, with a placeholder. */
export const valuesOf = (columns: string[], separator: ' and ' | ', '): string =>
  columns.map(column => `${quoted(column)} = ?`).join(separator)

function selectOf<T extends object>(em: Reader, entity: EntitySchema<T>): string {
  const metadata = em.getMetadata(entity)
  const known = selects.get(metadata)
  if (known) return known
  const select = `select ${columnsOf(em, entity).join(', ')} from ${tableOf(em, entity)}`
  selects.set(metadata, select)
  return select
}
