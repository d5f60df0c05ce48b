import type { Caller, Id, ListQuery } from '@cobro/contracts'
import { type Database, directionOf, getRow, type ListColumns, listRows, type Reader, scopeOf } from '@cobro/database'
import { AuditEventEntity } from './audit-event-entity.ts'
import { countEvents } from './count-events.ts'
import { eventIdRange } from './event-id-range.ts'

/** Returns one event, if the caller may see it. */
export const getEvent = (db: Database, caller: Caller, id: Id<'evt'>) =>
  db.read(em => getRow(em, AuditEventEntity, caller, id))

/** Returns a page of the events that the caller may see, and the number of all that match. */
export const listEvents = (db: Database, caller: Caller, query: ListQuery) =>
  db.read(em => queryEvents(em, caller, query))

/** Returns a page of the events of a scope: by default of all that the caller may see. */
export const queryEvents = (em: Reader, caller: Caller, query: ListQuery, scope?: object) =>
  listRows(em, AuditEventEntity, caller, byOccurrence(query), columnsOf(em, caller, query, scope))

/** Replaces the default order `created_at` by `occurred_at`. */
function byOccurrence(query: ListQuery): ListQuery {
  return query.order === 'created_at' ? { ...query, order: 'occurred_at' } : query
}

function columnsOf(em: Reader, caller: Caller, query: ListQuery, scope?: object): ListColumns {
  const { lowest, below } = eventIdRange(query)
  const ids = [...(lowest ? [{ id: { $gte: lowest } }] : []), ...(below ? [{ id: { $lt: below } }] : [])]
  return {
    search: ['action', 'path', 'target_id'],
    time: 'occurred_at',
    scope: { $and: [scope ?? scopeOf(caller), ...ids] },
    orderBy: orderOf(byOccurrence(query)),
    count: !scope && isUnfiltered(caller, query) ? () => countEvents(em) : undefined,
  }
}

/** Orders equal values by time, like the indexes. */
function orderOf(query: ListQuery): object[] {
  const { order, dir } = query
  const times = order === 'occurred_at' ? [] : [{ occurred_at: dir }]
  return [{ [order]: directionOf(AuditEventEntity, query) }, ...times, { id: dir }]
}

/** Returns whether neither the access of the caller nor the query narrows a list. */
function isUnfiltered(caller: Caller, { filters, from, to, search }: ListQuery): boolean {
  return scopeOf(caller).merchant_id === undefined && Object.keys(filters).length === 0 && !from && !to && !search
}
