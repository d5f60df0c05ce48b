import type { Caller, ResponseOf, requestOperations } from '@cobro/contracts'
import { scopeOf } from '@cobro/database'
import { raw } from '@mikro-orm/core'
import type { AuditEventRow } from '../events/audit-event-entity.ts'

export type ApiRequest = ResponseOf<typeof requestOperations.list>['data'][number]

/** A merchant sees the calls of its own keys and users, not those of payers and operators. As in the index `events_requests`. */
const isOwn = (alias: string) => `coalesce(${alias}.actor ->> 'type' in ('key', 'client'), false)`

/** Returns the condition for the calls of the caller's merchants that match filters. */
export function requestsOf(caller: Caller, filters: Record<string, unknown>): object {
  const { operation_id, status_class, actor_type, actor_id, ...columns } = filters
  return {
    $and: [
      { ...scopeOf(caller), ...columns, action: 'http.request' },
      { [raw(isOwn)]: [] },
      actor_type === undefined ? {} : within('actor', 'type', [actor_type].flat()),
      actor_id === undefined ? {} : within('actor', 'id', [actor_id]),
      operation_id === undefined ? {} : within('metadata', 'operation_id', [operation_id]),
      status_class === undefined ? {} : { $or: [status_class].flat().map(statusesOf) },
    ],
  }
}

function within(column: 'actor' | 'metadata', field: string, values: unknown[]): object {
  return { [raw(alias => `${alias}.${column} ->> '${field}'`)]: { $in: values } }
}

function statusesOf(statusClass: unknown): object {
  const lowest = Number(String(statusClass).charAt(0)) * 100
  return { status_code: { $gte: lowest, $lt: lowest + 100 } }
}

/** Returns an event of the audit log as a call, without the address and program of the client. */
export function apiRequestOf(row: AuditEventRow): ApiRequest {
  const { id, seq, request_id, merchant_id, method, path, status_code, duration_ms, metadata } = row
  const { actor, target_id, correlation_id, occurred_at } = row
  const { operation_id, error_code } = metadata ?? {}
  return {
    ...{ id, seq, request_id, merchant_id, operation_id: textOf(operation_id), method, path, status_code },
    ...{ error_code: textOf(error_code), duration_ms, actor, target_id, correlation_id, occurred_at },
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
