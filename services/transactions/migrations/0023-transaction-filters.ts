import { migrationInSteps } from '@cobro/database'

/**
 * Indexes by card and by decline reason, then by time, and indexes of lists by another time: of one merchant, and of all.
 * `transactions_captured_up` is already that of the captured ones of one merchant.
 */
const definitions = {
  card_last4: `(merchant_id, (card ->> 'last4'), created_at, id) where card ->> 'last4' is not null`,
  all_card_last4: `((card ->> 'last4'), greatest(created_at), id) where card ->> 'last4' is not null`,
  // A brand has many matches. With the column itself, they are counted in the index alone.
  card_brand: `(merchant_id, (card ->> 'brand'), created_at, id) include (card) where card ->> 'brand' is not null`,
  all_card_brand: `((card ->> 'brand'), greatest(created_at), id) include (card) where card ->> 'brand' is not null`,
  decline_reason: '(merchant_id, decline_reason, created_at, id) where decline_reason is not null',
  all_decline_reason: '(decline_reason, greatest(created_at), id) where decline_reason is not null',
  all_captured: '(greatest(captured_at), id) where captured_at is not null',
  refund_requested: '(merchant_id, refund_requested_at, id) where refund_requested_at is not null',
  all_refund_requested: '(greatest(refund_requested_at), id) where refund_requested_at is not null',
  refunded: '(merchant_id, refunded_at, id) where refunded_at is not null',
  all_refunded: '(greatest(refunded_at), id) where refunded_at is not null',
}

export const transactionFilters = migrationInSteps(
  '0023-transaction-filters',
  Object.entries(definitions).flatMap(([name, definition]) => [
    `drop index concurrently if exists transactions_${name}`,
    `create index concurrently transactions_${name} on transactions ${definition} and deleted_at is null`,
  ]),
)
