import { auditOperations, type Caller, type ListQuery } from '@cobro/contracts'
import { type Database, getRow, listRows, scopeOf } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { AuditEventEntity } from './audit-event-entity.ts'
import { idsOfDays } from './ids-of-days.ts'

export function auditEventRoutes({ db }: { db: Database }): Route[] {
  return [
    route(auditOperations.list, ({ caller, query }) =>
      db.read(em => listRows(em, AuditEventEntity, caller, inTime(query), columnsOf(caller, query))),
    ),
    route(auditOperations.read, async ({ caller, params }) => {
      const data = await db.read(em => getRow(em, AuditEventEntity, caller, params.id))
      return { data }
    }),
  ]
}

/** Lists are ordered by `created_at` unless they say otherwise; of an event, that is when it happened. */
function inTime(query: ListQuery): ListQuery {
  return query.order === 'created_at' ? { ...query, order: 'occurred_at' } : query
}

function columnsOf(caller: Caller, days: ListQuery) {
  const { lowest, below } = idsOfDays(days)
  const ids = [...(lowest ? [{ id: { $gte: lowest } }] : []), ...(below ? [{ id: { $lt: below } }] : [])]
  return { search: ['action', 'path', 'target_id'], time: 'occurred_at', scope: { $and: [scopeOf(caller), ...ids] } }
}
