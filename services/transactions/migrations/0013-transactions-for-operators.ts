import { migration } from '@cobro/database'

/** What operators look for by hand, with nothing of who paid. */
export const transactionsForOperators = migration(
  '0013-transactions-for-operators',
  `
  grant usage on schema transactions to cobro_operator;
  grant select (id, message_id, name, correlation_id, created_at) on outbox to cobro_operator;
  grant select (id, merchant_id, correlation_id, payment_intent_id, attempt, payable_id, payment_method, status, amount_cents,
    currency, refund_status, refund_id, refund_requested_at, acquirer_reference, next_check_at, check_count, created_at,
    updated_at, captured_at) on transactions to cobro_operator;
  grant select on refunds, daily_runs, daily_run_failures, ledger_entries, settlement_entries to cobro_operator;
  `,
)
