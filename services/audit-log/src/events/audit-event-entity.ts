import type { auditOperations, ResponseOf } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

type Shown = ResponseOf<typeof auditOperations.read>['data']

/** An event of the log. The entity is only read: the consumer writes batches with SQL. */
export const AuditEventEntity = defineEntity({
  name: 'AuditEvent',
  tableName: 'events',
  properties: {
    id: p.string().$type<Shown['id']>().primary(),
    /** The sequence number of the event in the log, from 1 without a gap. */
    seq: p.bigint('number'),
    /** The hashed bytes, source of all other columns except `seq`. The API does not load them. */
    content: p.blob().lazy(),
    action: p.string(),
    category: p.string().$type<Shown['category']>(),
    correlation_id: p.string().$type<Shown['correlation_id']>().strictNullable(),
    request_id: p.string().$type<Shown['request_id']>().strictNullable(),
    target_id: p.string().strictNullable(),
    merchant_id: p.string().$type<Shown['merchant_id']>().strictNullable(),
    actor: p.json<Shown['actor']>(),
    method: p.string().strictNullable(),
    path: p.string().strictNullable(),
    status_code: p.integer().strictNullable(),
    ip: p.string().strictNullable(),
    user_agent: p.string().strictNullable(),
    duration_ms: p.integer().strictNullable(),
    trace_id: p.string().strictNullable(),
    amount_cents: p.bigint('number').strictNullable(),
    currency: p.string().strictNullable(),
    metadata: p.json<Shown['metadata']>().strictNullable(),
    occurred_at: p.datetime(3),
  },
})

export type AuditEventRow = InferEntity<typeof AuditEventEntity>

/** The columns that repeat the content of an event. */
export const contentColumns = Object.keys(AuditEventEntity.meta.properties).filter(
  name => name !== 'seq' && name !== 'content',
)
