import { migration } from '@cobro/database'

/** Grants operators the columns that they query manually, none of which identifies a payer. */
export const checkoutForOperators = migration(
  '0007-checkout-for-operators',
  `
  grant usage on schema checkout to cobro_operator;
  grant select (id, message_id, name, correlation_id, created_at) on outbox to cobro_operator;
  grant select (payment_intent_id, number, payable_id, merchant_id, correlation_id, status, amount_cents, currency, transaction_id,
    deadline, resolve_at, resolve_count, created_at, settled_at) on payment_attempts to cobro_operator;
  `,
)
