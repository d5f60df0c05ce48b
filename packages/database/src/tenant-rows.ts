import {
  type AnyResource,
  ApiError,
  type Caller,
  type EventName,
  type ListQuery,
  newId,
  type Page,
} from '@cobro/contracts'
import { updateCallContext } from '@cobro/runtime'
import { type EntitySchema, type FilterQuery, LockMode } from '@mikro-orm/postgresql'
import type { z } from 'zod'
import { type Changes, changedFields } from './changed-fields.ts'
import { assignRow, type NewRow, newRow, type RowData } from './new-row.ts'
import type { Database } from './open-database.ts'
import type { Emit, EmittedData } from './outbox.ts'
import type { Reader, Tx } from './transaction.ts'

/** Every row that belongs to a merchant. Only an event of the audit log may belong to none. */
export interface TenantRow {
  id: string
  merchant_id?: string | null
}

/** The merchants whose rows a caller may see, as a condition. Payers and the acquirer see no lists. */
export function scopeOf(caller: Caller): { merchant_id?: string | { $in: string[] } } {
  if (caller.kind === 'payer' || caller.kind === 'acquirer') throw new ApiError('forbidden')
  if (caller.kind !== 'operator' || caller.merchant_id !== undefined) return { merchant_id: merchantOf(caller) }
  return caller.merchants === 'all' ? {} : { merchant_id: { $in: caller.merchants } }
}

/** The merchant that a caller writes for. The HTTP layer has made sure that an operator states one. */
export function merchantOf(caller: Caller): string {
  if ('merchant_id' in caller && caller.merchant_id !== undefined) return caller.merchant_id
  throw new ApiError('forbidden')
}

/**
 * Reads the row of that id if the caller may see it: 404 where there is none, 403 where it is another merchant's.
 * All reads by id go through here. Nothing is handed out before the comparison.
 */
export async function getRow<T extends TenantRow>(
  em: Reader,
  entity: EntitySchema<T>,
  caller: Caller,
  id: string,
  options: { lock?: boolean } = {},
): Promise<T> {
  const lock = options.lock ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {}
  const row = await em.findOne(entity, { id } as FilterQuery<T>, lock as object)
  if (!row || ('deleted_at' in row && row.deleted_at !== null)) throw new ApiError('not_found')
  if (!mayTouch(caller, row.merchant_id)) throw new ApiError('forbidden')
  updateCallContext(row)
  return row
}

function mayTouch(caller: Caller, merchantId: string | null | undefined): boolean {
  const { merchant_id: scope } = scopeOf(caller)
  if (scope === undefined) return true
  return typeof scope === 'string' ? scope === merchantId : scope.$in.some(id => id === merchantId)
}

/** What a list looks through, by which time its days are meant, and what of it the caller may see. */
export interface ListColumns {
  search: readonly string[]
  time?: string
  /** Left out: the rows of the caller's merchants. */
  scope?: object
  /** Tells how many match, where that is known without counting them. */
  count?: (() => Promise<number>) | undefined
  /**
   * How the rows are ordered, where it is not by the column of the query and then the id; or how, once it is known how many match.
   * Then their ids are found first, which an index may hold all of that they are chosen by, and only the page is read.
   */
  orderBy?: object[] | ((count: number) => object[]) | undefined
}

/** One page of the rows that the caller may see, and the number of all that match. */
export async function listRows<T extends TenantRow>(
  em: Reader,
  entity: EntitySchema<T>,
  caller: Caller,
  query: ListQuery,
  columns: ListColumns,
): Promise<Page<T>> {
  const { limit, offset } = query
  const { orderBy = [{ [query.order]: directionOf(entity, query) }, { id: query.dir }] } = columns
  const where = whereOf<T>(caller, query, columns)
  const counted = () => columns.count?.() ?? em.count(entity, where)
  if (typeof orderBy === 'function') {
    const count = await counted()
    return {
      data: await pageByIds(em, entity, where, { limit, offset, orderBy: orderBy(count) }),
      count,
      limit,
      offset,
    }
  }
  const found = em.find(entity, where, { limit, offset, orderBy } as object)
  const [data, count] = await Promise.all([found, counted()])
  return { data, count, limit, offset }
}

async function pageByIds<T extends TenantRow>(
  em: Reader,
  entity: EntitySchema<T>,
  where: FilterQuery<T>,
  page: object,
): Promise<T[]> {
  const found = await em.find(entity, where, { ...page, fields: ['id'], disableIdentityMap: true } as object)
  if (found.length === 0) return []
  const ids = found.map(({ id }) => id)
  const rows = await em.find(entity, { $and: [where, { id: { $in: ids } }] } as FilterQuery<T>)
  const byId = new Map(rows.map(row => [row.id, row]))
  return ids.flatMap(id => byId.get(id) ?? [])
}

/** What has no value comes last, either way. Where every row has one it is left unsaid: an index would not serve `nulls last`. */
export function directionOf<T>({ meta }: EntitySchema<T>, { order, dir }: ListQuery): string {
  const properties = meta.properties as Record<string, { nullable?: boolean }>
  return properties[order]?.nullable ? `${dir} nulls last` : dir
}

/** Only validated scalars reach the condition, each as `$eq`, so that no caller's object is read as an operator. */
function whereOf<T extends TenantRow>(caller: Caller, query: ListQuery, columns: ListColumns): FilterQuery<T> {
  const time = columns.time ?? 'created_at'
  const conditions: object[] = [columns.scope ?? scopeOf(caller)]
  for (const [name, value] of Object.entries(query.filters)) conditions.push({ [name]: { $eq: value } })
  conditions.push(withinDays(time, query))
  if (query.search)
    conditions.push({
      $or: columns.search.map(column => ({ [column]: { $ilike: `%${escapeLike(query.search ?? '')}%` } })),
    })
  return { $and: conditions } as FilterQuery<T>
}

/** The condition that a time lies within the days of a list, if it has any. */
export function withinDays(time: string, { from, to }: Pick<ListQuery, 'from' | 'to'>): object {
  const bounds = {
    ...(from ? { $gte: new Date(from) } : {}),
    // Our times are whole milliseconds. The day after 9999-12-31 would be none that Postgres reads.
    ...(to ? { $lte: new Date(`${to}T23:59:59.999Z`) } : {}),
  }
  return from || to ? { [time]: bounds } : {}
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

/** The columns that a caller chooses. */
type InputColumns<T> = Omit<NewRow<T>, 'id' | 'merchant_id'>

/** A change of a row. What the entity has no column for does not compile. */
type ColumnsOf<T, Change> = Partial<RowData<T>> & Record<Exclude<keyof Change, keyof T>, never>

/** An ordinary resource over its table, and the events of its three writes, whose fields the entity must have. */
export interface RowsOptions<T, N extends EventName, Change> {
  resource: Pick<AnyResource, 'prefix' | 'search'> & { readonly update: z.ZodType<Change> }
  entity: EntitySchema<T>
  events: { created: N; updated: N; deleted: N }
  /** Turns a refusal of the database (a unique serial, say) into what the caller is told. */
  refusal?: (error: unknown) => ApiError | undefined
  /** What is told of changes, where not all of it may be known. */
  told?: (changes: Changes) => Changes
  /** Refuses a deletion that would leave something dangling. */
  beforeDelete?: (tx: Tx, row: T) => Promise<void>
}

/** Serves an ordinary resource from its table: for `crud` of the HTTP package. */
export function tenantRows<
  T extends TenantRow & EmittedData<N>,
  N extends EventName,
  Change extends ColumnsOf<T, Change>,
>(db: Database, options: RowsOptions<T, N, Change>) {
  const { entity, events, resource } = options
  const write = <R>(work: (tx: Tx, emit: Emit) => Promise<R>) =>
    db.write(work).catch(error => {
      throw options.refusal?.(error) ?? error
    })
  return {
    list: (caller: Caller, query: ListQuery) =>
      db.read(em => listRows(em, entity, caller, query, { search: resource.search })),
    get: (caller: Caller, id: string) => db.read(em => getRow(em, entity, caller, id)),
    create: (caller: Caller, input: InputColumns<T>) =>
      write(async (tx, emit) => {
        const row = newRow(tx, entity, ownedBy(merchantOf(caller), newId(resource.prefix), input))
        emit(events.created, row)
        return row
      }),
    update: (caller: Caller, id: string, input: Partial<RowData<T>>) =>
      write(async (tx, emit) => {
        const row = await getRow(tx, entity, caller, id, { lock: true })
        const changes = changedFields(row, input)
        if (Object.keys(changes).length === 0) return row
        assignRow(tx, row, input)
        emit(events.updated, { ...row, changes: options.told?.(changes) ?? changes })
        return row
      }),
    remove: (caller: Caller, id: string) =>
      write(async (tx, emit) => {
        const row = await getRow(tx, entity, caller, id, { lock: true })
        await options.beforeDelete?.(tx, row)
        tx.remove(row)
        emit(events.deleted, row)
      }),
  }
}

function ownedBy<T>(merchant_id: string, id: string, input: InputColumns<T>): NewRow<T>
function ownedBy(merchant_id: string, id: string, input: object): object {
  return { ...input, id, merchant_id }
}
