import { auditOperations, type Caller, type ListQuery } from '@cobro/contracts'
import { type Database, directionOf, getRow, type ListColumns, listRows, type Reader, scopeOf } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { AuditEventEntity } from './audit-event-entity.ts'
import { countEvents } from './count-events.ts'
import { idsOfDays } from './ids-of-days.ts'

export function auditEventRoutes({ db }: { db: Database }): Route[] {
  return [
    route(auditOperations.list, ({ caller, query }) => db.read(em => listEvents(em, caller, query))),
    route(auditOperations.read, async ({ caller, params }) => {
      const data = await db.read(em => getRow(em, AuditEventEntity, caller, params.id))
      return { data }
    }),
  ]
}

/** A page of the events that the caller may see, and the number of all that match. */
export const listEvents = (em: Reader, caller: Caller, query: ListQuery) =>
  listRows(em, AuditEventEntity, caller, inTime(query), columnsOf(em, caller, query))

/** Lists are ordered by `created_at` unless they say otherwise; of an event, that is when it happened. */
function inTime(query: ListQuery): ListQuery {
  return query.order === 'created_at' ? { ...query, order: 'occurred_at' } : query
}

function columnsOf(em: Reader, caller: Caller, query: ListQuery): ListColumns {
  const { lowest, below } = idsOfDays(query)
  const ids = [...(lowest ? [{ id: { $gte: lowest } }] : []), ...(below ? [{ id: { $lt: below } }] : [])]
  return {
    search: ['action', 'path', 'target_id'],
    time: 'occurred_at',
    scope: { $and: [scopeOf(caller), ...ids] },
    orderBy: orderOf(inTime(query)),
    count: isWhole(caller, query) ? () => countEvents(em) : undefined,
  }
}

/** Events that are alike come in the order of their times, as they do in the indexes. */
function orderOf(query: ListQuery): object[] {
  const { order, dir } = query
  const times = order === 'occurred_at' ? [] : [{ occurred_at: dir }]
  return [{ [order]: directionOf(AuditEventEntity, query) }, ...times, { id: dir }]
}

/** Whether nothing narrows a list: neither what the caller may see, nor what is asked for. */
function isWhole(caller: Caller, { filters, from, to, search }: ListQuery): boolean {
  return scopeOf(caller).merchant_id === undefined && Object.keys(filters).length === 0 && !from && !to && !search
}
