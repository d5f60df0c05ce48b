import type { Caller, Id, ListQuery } from '@cobro/contracts'
import { type Database, scopeOf } from '@cobro/database'
import { raw } from '@mikro-orm/core'
import type { AuditEventRow } from '../events/audit-event-entity.ts'
import { queryEvents } from '../events/list-events.ts'

/** Returns a page of the events and calls of a payment lifecycle, of those that the caller may see. */
export async function readLifecycle(
  { db }: { db: Database },
  caller: Caller,
  correlation_id: Id<'corr'>,
  query: ListQuery,
) {
  const scope = lifecycleOf(caller, correlation_id, query.filters)
  const page = await db.read(em => queryEvents(em, caller, { ...query, filters: {} }, scope))
  return { ...page, data: page.data.map(lifecycleEventOf) }
}

/** Events have no method. As in the index `events_changes`. */
const kinds: Readonly<Record<string, (alias: string) => string>> = {
  event: alias => `${alias}.method is null`,
  write: alias => `${alias}.method not in ('GET', 'HEAD')`,
  read: alias => `${alias}.method in ('GET', 'HEAD')`,
}

/** Returns the condition for what a lifecycle has of these kinds, of what the caller may see. */
export function lifecycleOf(caller: Caller, correlation_id: Id<'corr'>, { kind = [] }: ListQuery['filters']): object {
  const conditions = [kind].flat().flatMap(one => kinds[String(one)] ?? [])
  return {
    ...scopeOf(caller),
    correlation_id,
    ...(conditions.length > 0 && { $or: conditions.map(condition => ({ [raw(condition)]: [] })) }),
  }
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
