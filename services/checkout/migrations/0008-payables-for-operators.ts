import { migration } from '@cobro/database'

/** Lets operators compare sessions and links with payments, without data about payers. */
export const payablesForOperators = migration(
  '0008-payables-for-operators',
  `
  grant select (id, merchant_id, correlation_id, transaction_id, status, amount_total, currency, created_at, modified_at)
    on checkout_sessions to cobro_operator;
  grant select (id, merchant_id, correlation_id, transaction_id, status, amount_cents, currency, created_at, updated_at, paid_at)
    on payment_links to cobro_operator;
  `,
)
