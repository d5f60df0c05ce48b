import { balanceSql } from './balance-sql.ts'

/**
 * Completed sessions, and paid links: two queries, because PostgreSQL uses no index of tables behind a
 * union. Checkout and operators read them; transactions receives them in the command `reconciliation.find_unpaid`.
 */
export const paidPayables = [
  `select id, merchant_id, transaction_id, amount_total as amount_cents, currency, modified_at as changed_at
   from checkout.checkout_sessions where status = 'completed'`,
  `select id, merchant_id, transaction_id, amount_cents, currency, updated_at as changed_at
   from checkout.payment_links where status = 'paid'`,
]

/**
 * Captured payments that a session or link must name. A late or duplicate payment is refunded instead.
 * Transactions and operators read them; checkout receives them in the reply `reconciliation.payments`.
 */
export const fulfillingPayments = `
  select id, payable_id, merchant_id, amount_cents, currency, captured_at from transactions.transactions
  where captured_at is not null and payable_id is not null and refund_id is null and late_payment_of is null`

/** SQL of the rows of a JSON parameter with columns of `paidPayables` and `fulfillingPayments`. */
export const comparedRows = `
  select * from jsonb_to_recordset(?::jsonb) as compared (
    id text, merchant_id text, transaction_id text, payable_id text, amount_cents bigint, currency text)`

/**
 * Selects the sessions and links among `payables` that are completed or paid, although no captured
 * payment has their id, merchant, amount and currency.
 */
export const unpaid = (payables: string) => `
  select 'unpaid' as kind, payable.id, payable.merchant_id, payable.transaction_id, payable.amount_cents, payable.currency
  from (${payables}) as payable left join transactions.transactions paid
    on paid.id = payable.transaction_id and paid.payable_id = payable.id and paid.merchant_id = payable.merchant_id
    and paid.amount_cents = payable.amount_cents and paid.currency = payable.currency and paid.captured_at is not null
  where paid.id is null`

/** Selects the captured payments among `payments` that their session or link does not name. */
export const unfulfilled = (payments: string) => `
  select 'unfulfilled' as kind, payment.payable_id as id, payment.merchant_id, payment.id as transaction_id, payment.amount_cents,
    payment.currency
  from (${payments}) as payment where ${paidPayables.map(notNamedBy).join(' and ')}`

const notNamedBy = (payables: string) =>
  `not exists (
    select 1 from (${payables}) as payable where payable.id = payment.payable_id and payable.transaction_id = payment.id)`

/**
 * Selects `stored` and `posted`: what transactions captured, charged as fee and refunded, and what the
 * ledger has for it. The fee is 0 once it was returned. `condition` is about their alias `row`.
 */
export const transactionPostings = (condition: string) => `
  select row.id, row.merchant_id, row.amount_cents, row.currency, array[
      case when row.captured_at is null then 0 else row.amount_cents end,
      case when row.captured_at is null then 0 else row.fee_cents end,
      case when row.refunded_at is null then 0 else row.amount_cents end]::numeric[] as stored,
    array[-${balanceSql('receivable_acquirer', 'capture')},
      ${balanceSql('fee_revenue', 'capture')} + ${balanceSql('fee_revenue', 'fee_returned')},
      ${balanceSql('receivable_acquirer', 'refund')}]::numeric[] as posted
  from transactions.transactions row left join transactions.ledger_entries entry on entry.transaction_id = row.id
  where ${condition} group by row.id`

/** Selects the transactions whose capture, fee or refund differs from the ledger. */
export const unposted = (condition: string) => `
  select 'unposted' as kind, id, merchant_id, id as transaction_id, amount_cents, currency
  from (${transactionPostings(condition)}) as compared where stored <> posted`
