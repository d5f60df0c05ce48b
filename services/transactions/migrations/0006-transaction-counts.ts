import { migration } from '@cobro/database'

/**
 * Stored counts of transactions, and an index for each order of a list, also over all merchants.
 *
 * If every change updated one counter row, concurrent captures of a merchant would wait for each other. Instead a trigger inserts
 * each change as a row, in the transaction that makes it, and the service adds the changes to the counts. The view adds both
 * tables, so it is exact at any time.
 */
export const transactionCounts = migration(
  '0006-transaction-counts',
  `
  create table transaction_counts (
    merchant_id text not null,
    status text not null,
    payment_method text not null,
    rail text not null,
    currency text not null,
    count bigint not null,
    primary key (merchant_id, status, payment_method, rail, currency)
  );
  -- Short-lived rows: what is left of them has to be cleared away before reading past it takes longer than reading the counts.
  create table transaction_count_changes (
    merchant_id text not null,
    status text not null,
    payment_method text not null,
    rail text not null,
    currency text not null,
    change bigint not null
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
  create view transaction_totals as
    select * from transaction_counts union all select * from transaction_count_changes;

  create function count_added() returns trigger language plpgsql as $$
  begin
    insert into transactions.transaction_count_changes
      select merchant_id, status, payment_method, rail, currency, count(*) from added
      where deleted_at is null group by merchant_id, status, payment_method, rail, currency;
    return null;
  end
  $$;
  create function count_removed() returns trigger language plpgsql as $$
  begin
    insert into transactions.transaction_count_changes
      select merchant_id, status, payment_method, rail, currency, -count(*) from removed
      where deleted_at is null group by merchant_id, status, payment_method, rail, currency;
    return null;
  end
  $$;
  create function count_changed() returns trigger language plpgsql as $$
  begin
    insert into transactions.transaction_count_changes
      select merchant_id, status, payment_method, rail, currency, change from (values
        (old.merchant_id, old.status, old.payment_method, old.rail, old.currency, old.deleted_at, -1),
        (new.merchant_id, new.status, new.payment_method, new.rail, new.currency, new.deleted_at, 1)
      ) as sides (merchant_id, status, payment_method, rail, currency, deleted_at, change)
      where deleted_at is null;
    return null;
  end
  $$;
  create trigger count_added after insert on transactions
    referencing new table as added for each statement execute function count_added();
  create trigger count_removed after delete on transactions
    referencing old table as removed for each statement execute function count_removed();
  create trigger count_changed after update on transactions for each row
    when ((old.merchant_id, old.status, old.payment_method, old.rail, old.currency, old.deleted_at is null)
      is distinct from (new.merchant_id, new.status, new.payment_method, new.rail, new.currency, new.deleted_at is null))
    execute function count_changed();

  -- After the triggers: creating them locks the table against writes until this transaction is committed.
  insert into transaction_counts
    select merchant_id, status, payment_method, rail, currency, count(*) from transactions
    where deleted_at is null group by merchant_id, status, payment_method, rail, currency;

  drop index transactions_newest, transactions_status, transactions_amount, transactions_refund, transactions_terminal,
    transactions_order, transactions_reference, transactions_payer, transactions_link;
  -- Leaves out deleted rows, so that an index-only scan counts all matches. Columns with few values follow the ordering columns:
  -- an index of their own would be no more selective.
  create index transactions_newest on transactions (merchant_id, created_at, id, payment_method, rail, currency)
    where deleted_at is null;
  create index transactions_status on transactions (merchant_id, status, created_at, id) where deleted_at is null;
  create index transactions_amount on transactions (merchant_id, amount_cents, id) where deleted_at is null;
  create index transactions_updated on transactions (merchant_id, updated_at, id) where deleted_at is null;
  -- What has no value comes last, whichever way it is ordered: one index cannot be read both ways.
  create index transactions_captured_down on transactions (merchant_id, captured_at desc nulls last, id desc)
    where deleted_at is null;
  create index transactions_captured_up on transactions (merchant_id, captured_at, id) where deleted_at is null;
  create index transactions_reference_down on transactions (merchant_id, reference desc nulls last, id desc)
    where deleted_at is null;
  create index transactions_reference_up on transactions (merchant_id, reference, id) where deleted_at is null;
  create index transactions_refund on transactions (merchant_id, refund_status, created_at, id)
    where refund_status is not null and deleted_at is null;
  create index transactions_terminal on transactions (merchant_id, terminal_id, created_at, id)
    where terminal_id is not null and deleted_at is null;
  create index transactions_order on transactions (merchant_id, order_id) where order_id is not null and deleted_at is null;
  create index transactions_payer on transactions (merchant_id, payer_email) where payer_email is not null and deleted_at is null;
  create index transactions_link on transactions (merchant_id, payment_link_id)
    where payment_link_id is not null and deleted_at is null;

  -- The greatest of one value is that value: no list of one merchant is ordered so, or it would be read out of those of all.
  create index transactions_all_newest on transactions (greatest(created_at), id) where deleted_at is null;
  create index transactions_all_status on transactions (status, greatest(created_at), id) where deleted_at is null;
  `,
)
