import { migration } from '@cobro/database'

/**
 * What the operator role may read. The schema holds accounts and keys, so that is the outbox's metadata only.
 */
export const gatewayForOperators = migration(
  '0005-gateway-for-operators',
  `
  grant usage on schema gateway to cobro_operator;
  grant select (id, message_id, name, correlation_id, created_at) on outbox to cobro_operator;
  `,
)
