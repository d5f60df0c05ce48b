import { migration } from '@cobro/database'

/** Lets operators read which requests and events occurred, without their contents. */
export const eventsForOperators = migration(
  '0006-events-for-operators',
  `
  grant usage on schema audit to cobro_operator;
  grant select (id, seq, action, category, correlation_id, request_id, trace_id, target_id, merchant_id, method, path, status_code,
    duration_ms, occurred_at) on events to cobro_operator;
  `,
)
