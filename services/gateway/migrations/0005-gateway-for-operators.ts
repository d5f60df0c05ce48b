import { migration } from '@cobro/database'

/** Lets operators read only the outbox's metadata, because the schema holds accounts and keys. */
export const gatewayForOperators = migration(
  '0005-gateway-for-operators',
  `
  grant usage on schema gateway to cobro_operator;
  grant select (id, message_id, name, correlation_id, created_at) on outbox to cobro_operator;
  `,
)
