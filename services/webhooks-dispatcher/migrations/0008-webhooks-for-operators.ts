import { migration } from '@cobro/database'

/** Lets operators read all but payloads, responses, secrets, and URLs, which may hold secrets. */
export const webhooksForOperators = migration(
  '0008-webhooks-for-operators',
  `
  grant usage on schema webhooks to cobro_operator;
  grant select (id, message_id, name, correlation_id, created_at) on outbox to cobro_operator;
  grant select (id, merchant_id, status, disabled_reason, created_at, updated_at) on endpoints to cobro_operator;
  grant select (id, webhook_id, merchant_id, event_id, event, kind, status, attempt_count, next_attempt_at, response_status,
    correlation_id, created_at, delivered_at) on deliveries to cobro_operator;
  grant select (delivery_id, number, at, duration_ms, status_code, error) on attempts to cobro_operator;
  grant select (delivery_id, webhook_id, due_at, attempt, leased) on jobs to cobro_operator;
  grant select (webhook_id, merchant_id, next_due, served_at) on lanes to cobro_operator;
  grant execute on function first_delivery_id(timestamptz) to cobro_operator;
  `,
)
