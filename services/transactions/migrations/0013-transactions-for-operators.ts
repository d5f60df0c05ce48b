import { migration } from '@cobro/database'

/** Lets operators query payments, refunds and the ledger in SQL, without data about payers. */
export const transactionsForOperators = migration(
  '0013-transactions-for-operators',
  `
  grant usage on schema transactions to cobro_operator;
  grant select (id, message_id, name, correlation_id, created_at) on outbox to cobro_operator;
  grant select (id, merchant_id, correlation_id, payment_intent_id, attempt, payable_id, payment_method, status, amount_cents,
    currency, refund_status, refund_id, refund_requested_at, acquirer_reference, next_check_at, check_count, created_at,
    updated_at, captured_at) on transactions to cobro_operator;
  grant select (id, merchant_id, correlation_id, transaction_id, payment_method, amount_cents, currency, status, owed, by_hand,
    failure_reason, acquirer_reference, asked_at, next_check_at, check_count, created_at, updated_at) on refunds to cobro_operator;
  grant select (day, taken_until, finished_at) on daily_runs to cobro_operator;
  grant select (day, merchant_id, currency, tries, next_try_at) on daily_run_failures to cobro_operator;
  grant select (id, merchant_id, currency, event, debit, credit, amount_cents, transaction_id, source_id, day, created_at)
    on ledger_entries to cobro_operator;
  grant select (entry_id, settlement_id) on settlement_entries to cobro_operator;
  `,
)
