import { auditOperations, type ListQuery } from '@cobro/contracts'
import { type Database, getRow, listRows } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { AuditEventEntity } from './audit-event-entity.ts'

const columns = { search: ['action', 'path', 'target_id'], time: 'occurred_at' }

export function auditEventRoutes({ db }: { db: Database }): Route[] {
  return [
    route(auditOperations.list, ({ caller, query }) =>
      db.read(em => listRows(em, AuditEventEntity, caller, inTime(query), columns)),
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
