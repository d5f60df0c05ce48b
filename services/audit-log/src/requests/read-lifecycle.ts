import type { Caller, Id, ListQuery } from '@cobro/contracts'
import { type Database, scopeOf } from '@cobro/database'
import type { AuditEventRow } from '../events/audit-event-entity.ts'
import { queryEvents } from '../events/list-events.ts'

/** Returns a page of the events and calls of a payment lifecycle, of those that the caller may see. */
export async function readLifecycle(
  { db }: { db: Database },
  caller: Caller,
  correlation_id: Id<'corr'>,
  query: ListQuery,
) {
  const scope = { ...scopeOf(caller), correlation_id }
  const page = await db.read(em => queryEvents(em, caller, query, scope))
  return { ...page, data: page.data.map(lifecycleEventOf) }
}

/** Leaves out who the others are: their addresses, programs and ids. */
function lifecycleEventOf(row: AuditEventRow) {
  const { id, action, category, request_id, target_id, actor, method, path, status_code, duration_ms } = row
  const { trace_id, amount_cents, currency, metadata, occurred_at } = row
  return {
    ...{ id, action, category, request_id, target_id, actor_type: actor.type, method, path, status_code, duration_ms },
    ...{ trace_id, amount_cents, currency, metadata, occurred_at },
  }
}
