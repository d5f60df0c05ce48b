import {
  type AnyResource,
  ApiError,
  type Caller,
  cursorOf,
  type EventName,
  type Id,
  type ListPosition,
  type ListQuery,
  newId,
  type Page,
} from '@cobro/contracts'
import { updateCallContext } from '@cobro/runtime'
import { type EntitySchema, type FilterQuery, type RawQueryFragmentSymbol, raw } from '@mikro-orm/postgresql'
import type { z } from 'zod'
import { changedFields } from './changed-fields.ts'
import { type ColumnValues, findRow } from './find-row.ts'
import { assignRow, type NewRow, newRow } from './new-row.ts'
import type { Database } from './open-database.ts'
import type { Emit, EmittedData } from './outbox.ts'
import type { RowData } from './row-columns.ts'
import { plannedForValues } from './statement-names.ts'
import type { Reader, Tx } from './transaction.ts'

/** A row that belongs to a merchant. Only audit-log events may have no merchant. */
export interface TenantRow {
  id: string
  merchant_id?: Id<'mrc'> | null
}

/** Limits a query to the caller's merchants. Throws `forbidden` for payers and the acquirer. */
export function scopeOf(caller: Caller): { merchant_id?: Id<'mrc'> | { $in: Id<'mrc'>[] } } {
  if (caller.kind === 'payer' || caller.kind === 'acquirer') throw new ApiError('forbidden')
  if (caller.kind !== 'operator' || caller.merchant_id !== undefined) return { merchant_id: merchantOf(caller) }
  return caller.merchants === 'all' ? {} : { merchant_id: { $in: caller.merchants } }
}

/** Returns the merchant that a caller writes for. The HTTP layer requires operators to name one. */
export function merchantOf(caller: Caller): Id<'mrc'> {
  if ('merchant_id' in caller && caller.merchant_id !== undefined) return caller.merchant_id
  throw new ApiError('forbidden')
}

/**
 * Reads a row by its id if the caller may see it: 404 if it does not exist, 403 if it belongs to
 * another merchant. All reads by id go through here.
 */
export async function getRow<T extends TenantRow>(
  em: Reader,
  entity: EntitySchema<T>,
  caller: Caller,
  id: NoInfer<T['id']>,
  options: { lock?: boolean } = {},
): Promise<T> {
  const row = await findRow(em, entity, { id } as ColumnValues<T>, options)
  if (!row || ('deleted_at' in row && row.deleted_at !== null)) throw new ApiError('not_found')
  if (!mayAccess(caller, row.merchant_id)) throw new ApiError('forbidden')
  updateCallContext(row)
  return row
}

/** Locks a row and returns it as the previous holder of the lock left it. */
export async function lockRow<T extends TenantRow>(tx: Tx, entity: EntitySchema<T>, id: NoInfer<T['id']>): Promise<T> {
  const row = await findRow(tx, entity, { id } as ColumnValues<T>, { lock: true })
  if (!row) throw new Error(`${id} does not exist.`)
  return row
}

function mayAccess(caller: Caller, merchantId: Id<'mrc'> | null | undefined): boolean {
  const { merchant_id: scope } = scopeOf(caller)
  if (scope === undefined) return true
  return typeof scope === 'string' ? scope === merchantId : scope.$in.some(id => id === merchantId)
}

/** How a list is searched, filtered by date, scoped to the caller, counted and sorted. */
export interface ListColumns {
  /** Columns that a text search looks in. */
  search: readonly string[]
  /** The column that the date range applies to; `created_at` by default. */
  time?: string
  /** The SQL function that the index of this list has around the time, if any. */
  timeFunction?: 'greatest' | undefined
  /** The rows that the caller may see; those of the caller's merchants by default. */
  scope?: object
  /** Returns the total, if it is known without counting the rows. */
  count?: (() => Promise<number>) | undefined
  /**
   * The sort order; by default the query's column, then the id. A function of the total selects
   * another plan: it finds the ids of the page, which a covering index can serve, and reads only those rows.
   */
  orderBy?: object[] | ((count: number) => object[]) | undefined
}

/** Returns one page of the rows that the caller may see, with the total count. */
export async function listRows<T extends TenantRow>(
  em: Reader,
  entity: EntitySchema<T>,
  caller: Caller,
  query: ListQuery,
  columns: ListColumns,
): Promise<Page<T>> {
  const { limit, offset } = query
  const { orderBy = [{ [query.order]: directionOf(entity, query) }, { id: query.dir }], time = 'created_at' } = columns
  const matching = whereOf<T>(caller, query, columns)
  const where = query.after ? ({ $and: [matching, isAfter(query.after, query, columns)] } as FilterQuery<T>) : matching
  // A list by time has a link to the next page, if a row is beyond this one.
  const byTime = query.order === time
  const size = byTime ? limit + 1 : limit
  const positionOf = (row: T): ListPosition => ({ at: row[time as keyof T] as Date, id: row.id })
  const cut = (rows: T[]): Pick<Page<T>, 'data' | 'next'> =>
    byTime ? cutPage(rows, limit, positionOf) : { data: rows }
  const counted = () => columns.count?.() ?? em.count(entity, matching, plannedForValues as object)
  if (typeof orderBy === 'function') {
    const count = await counted()
    const fields = byTime ? ['id', time] : ['id']
    const options = {
      ...plannedForValues,
      limit: size,
      offset,
      orderBy: orderBy(count),
      fields,
      disableIdentityMap: true,
    }
    const { data, next } = cut(await em.find(entity, where, options as object))
    const rows = await rowsOf(em, entity, matching, data)
    return { data: rows, next, count: query.counted ? count : null, limit, offset }
  }
  const found = em.find(entity, where, { ...plannedForValues, limit: size, offset, orderBy } as object)
  const [rows, count] = await Promise.all([found, query.counted ? counted() : null])
  return { ...cut(rows), count, limit, offset }
}

/** Cuts off the row beyond a page. If there is one, the next page begins after the last row of this one. */
export function cutPage<T>(
  rows: T[],
  limit: number,
  positionOf: (row: T) => ListPosition,
): Pick<Page<T>, 'data' | 'next'> {
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  return { data, next: last && rows.length > limit ? cursorOf(positionOf(last)) : undefined }
}

/** Returns the condition that a row comes after a position. Compares both columns at once, as the index does. */
function isAfter({ at, id }: ListPosition, { dir }: ListQuery, { time = 'created_at', timeFunction }: ListColumns) {
  const sign = dir === 'asc' ? '>' : '<'
  const compare = (alias: string) =>
    `(${timeFunction ?? ''}(${alias}.${time}), ${alias}.id) ${sign} (?::timestamptz, ?)`
  return { [raw(compare, [at, id])]: [] }
}

/** Reads the rows with the ids that were found, in their order, if they still match. */
async function rowsOf<T extends TenantRow>(
  em: Reader,
  entity: EntitySchema<T>,
  matching: FilterQuery<T>,
  found: T[],
): Promise<T[]> {
  if (found.length === 0) return []
  const ids = found.map(({ id }) => id)
  const where = { $and: [matching, { id: { $in: ids } }] } as FilterQuery<T>
  const rows = await em.find(entity, where, plannedForValues as object)
  return ids.flatMap(id => rows.filter(row => row.id === id))
}

/** Sorts nulls last both ways. Non-null columns omit `nulls last`, which no index would serve. */
export function directionOf<T>({ meta }: EntitySchema<T>, { order, dir }: ListQuery): string {
  const properties = meta.properties as Record<string, { nullable?: boolean }>
  return properties[order]?.nullable ? `${dir} nulls last` : dir
}

/** Compares filters with `$eq`, or `$in` for several values, so that an object in the input cannot act as an operator. */
function whereOf<T extends TenantRow>(caller: Caller, query: ListQuery, columns: ListColumns): FilterQuery<T> {
  const time = columns.time ?? 'created_at'
  const conditions: object[] = [columns.scope ?? scopeOf(caller)]
  for (const [name, value] of Object.entries(query.filters))
    conditions.push({ [name]: Array.isArray(value) ? { $in: value } : { $eq: value } })
  const { timeFunction } = columns
  conditions.push(withinRange(timeFunction ? raw(alias => `${timeFunction}(${alias}.${time})`) : time, query))
  const { search } = query
  if (search)
    conditions.push({ $or: columns.search.map(column => ({ [column]: { $ilike: `%${escapeLike(search)}%` } })) })
  return { $and: conditions } as FilterQuery<T>
}

/** Returns the condition that a time lies in the list's range; empty if it has none. */
export function withinRange(
  time: string | RawQueryFragmentSymbol,
  { from, to }: Pick<ListQuery, 'from' | 'to'>,
): object {
  const bounds = {
    ...(from ? { $gte: from } : {}),
    // Times are whole milliseconds, so the last one is included.
    ...(to ? { $lte: to } : {}),
  }
  return from || to ? { [time]: bounds } : {}
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

/** Implements a resource's reads on its table: a page, and one row by id. Hides deleted rows. */
export function readableRows<T extends TenantRow>(db: Database, entity: EntitySchema<T>, columns: ListColumns) {
  return {
    list: (caller: Caller, query: ListQuery) => {
      const notDeleted = 'deleted_at' in entity.meta.properties ? { deleted_at: null } : {}
      const scope = { ...scopeOf(caller), ...notDeleted }
      return db.read(em => listRows(em, entity, caller, query, { scope, ...columns }))
    },
    get: (caller: Caller, id: T['id']) => db.read(em => getRow(em, entity, caller, id)),
  }
}

/** The columns that a caller sets. */
type InputColumns<T> = Omit<NewRow<T>, 'id' | 'merchant_id'>

/** An update of a row. A field that the entity does not have is a compile error. */
type ColumnsOf<T, Change> = Partial<RowData<T>> & Record<Exclude<keyof Change, keyof T>, never>

/** A CRUD resource, its table and its writes' events. The entity must have all their fields. */
export interface RowsOptions<T, N extends EventName, Change> {
  resource: Pick<AnyResource, 'prefix' | 'search'> & { readonly update: z.ZodType<Change> }
  entity: EntitySchema<T>
  events: { created: N; updated: N; deleted: N }
  /** Maps a database error, such as a unique violation, to an API error. */
  mapError?: (error: unknown) => ApiError | undefined
  /** Throws to prevent a deletion that would leave dangling references. */
  beforeDelete?: (tx: Tx, row: T) => Promise<void>
}

/** Implements a resource's five CRUD operations on its table, for `crud` of the HTTP package. */
export function tenantRows<
  T extends TenantRow & EmittedData<N>,
  N extends EventName,
  Change extends ColumnsOf<T, Change>,
>(db: Database, options: RowsOptions<T, N, Change>) {
  const { entity, events, resource } = options
  const write = <R>(work: (tx: Tx, emit: Emit) => Promise<R>) =>
    db.write(work).catch(error => {
      throw options.mapError?.(error) ?? error
    })
  return {
    ...readableRows(db, entity, { search: resource.search }),
    create: (caller: Caller, input: InputColumns<T>) =>
      write(async (tx, emit) => {
        const row = newRow(tx, entity, ownedBy(merchantOf(caller), newId(resource.prefix), input))
        emit(events.created, row)
        return row
      }),
    update: (caller: Caller, id: T['id'], input: Partial<RowData<T>>) =>
      write(async (tx, emit) => {
        const row = await getRow(tx, entity, caller, id, { lock: true })
        const changes = changedFields(row, input)
        if (Object.keys(changes).length === 0) return row
        assignRow(row, input)
        emit(events.updated, { ...row, changes })
        return row
      }),
    remove: (caller: Caller, id: T['id']) =>
      write(async (tx, emit) => {
        const row = await getRow(tx, entity, caller, id, { lock: true })
        await options.beforeDelete?.(tx, row)
        await tx.nativeDelete(entity, { id } as FilterQuery<T>)
        emit(events.deleted, row)
      }),
  }
}

/** States what TypeScript cannot infer: the input lacks only the id and the merchant. */
function ownedBy<T>(merchant_id: Id<'mrc'>, id: string, input: InputColumns<T>): NewRow<T>
function ownedBy(merchant_id: string, id: string, input: object): object {
  return { ...input, id, merchant_id }
}
