import { migration } from '@cobro/database'

/**
 * The indexes of transaction search: by fields, by metadata, and by any part of reference fields.
 * Each starts with the merchant, so that the rows of one merchant don't slow down the searches of another.
 */
export const transactionSearch = migration(
  '0005-transaction-search',
  `
  alter table transactions
    add column metadata_terms text[] not null default '{}',
    -- Each field on a line of its own: what begins a field follows a line's end.
    add column search_text text not null generated always as (lower(
      E'\\n' || id || E'\\n' || coalesce(reference, '') || E'\\n' || coalesce(payer_email, '') || E'\\n' ||
      coalesce(order_id, '') || E'\\n' || coalesce(customer_ref, ''))) stored;

  with recursive field (id, path, value, names) as (
    select transactions.id, key, part.value, 1 from transactions, jsonb_each(metadata) as part
    union all
    select id, path || '.' || key, part.value, names + 1
    from field, jsonb_each(case when jsonb_typeof(field.value) = 'object' then field.value else '{}' end) as part
    where names < 5)
  update transactions set metadata_terms = found.terms from (
    select id, array_agg(path || '=' || coalesce(value #>> '{}', 'null')) as terms from field
    where jsonb_typeof(value) not in ('object', 'array') and length(value #>> '{}') <= 200 and path ~ '^[A-Za-z0-9_.-]+$'
    group by id) as found
  where transactions.id = found.id;

  create index transactions_metadata on transactions using gin (merchant_id, metadata_terms);
  create index transactions_search on transactions using gin (merchant_id, search_text extensions.gin_trgm_ops);
  -- Leaves out deleted rows, so that an index-only scan counts a list.
  drop index transactions_newest;
  create index transactions_newest on transactions (merchant_id, created_at desc, id desc) where deleted_at is null;
  create index transactions_status on transactions (merchant_id, status, created_at desc, id desc) where deleted_at is null;
  create index transactions_amount on transactions (merchant_id, amount_cents);
  create index transactions_refund on transactions (merchant_id, refund_status, created_at desc) where refund_status is not null;
  create index transactions_terminal on transactions (merchant_id, terminal_id, created_at desc) where terminal_id is not null;
  create index transactions_order on transactions (merchant_id, order_id) where order_id is not null;
  create index transactions_reference on transactions (merchant_id, reference) where reference is not null;
  create index transactions_payer on transactions (merchant_id, payer_email) where payer_email is not null;
  create index transactions_link on transactions (merchant_id, payment_link_id) where payment_link_id is not null;
  `,
)
