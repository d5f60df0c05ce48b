import { migration } from '@cobro/database'

/** What operators look for by hand: here stand accounts and keys, so it is no more than what waits to be published. */
export const gatewayForOperators = migration(
  '0005-gateway-for-operators',
  `
  grant usage on schema gateway to cobro_operator;
  grant select (id, message_id, name, correlation_id, created_at) on outbox to cobro_operator;
  `,
)
