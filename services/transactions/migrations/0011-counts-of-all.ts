import { migration } from '@cobro/database'

/**
 * Stored counts of all merchants together, so that an operator's list doesn't sum every merchant.
 * Triggers update them, so that counts folded by a replica of an older release are included.
 */
export const countsOfAll = migration(
  '0011-counts-of-all',
  `
  create table transaction_counts_of_all (
    status text not null,
    payment_method text not null,
    rail text not null,
    currency text not null,
    count bigint not null,
    primary key (status, payment_method, rail, currency)
  );
  create view transaction_totals_of_all as
    select * from transaction_counts_of_all
    union all select status, payment_method, rail, currency, change from transaction_count_changes;

  create function counts_added() returns trigger language plpgsql as $$
  begin
    insert into transactions.transaction_counts_of_all as kept
      select status, payment_method, rail, currency, sum(count) from added
      group by status, payment_method, rail, currency order by status, payment_method, rail, currency
      on conflict (status, payment_method, rail, currency) do update set count = kept.count + excluded.count;
    return null;
  end
  $$;
  create function counts_changed() returns trigger language plpgsql as $$
  begin
    insert into transactions.transaction_counts_of_all as kept
      select status, payment_method, rail, currency, sum(after.count - before.count)
      from after join before using (merchant_id, status, payment_method, rail, currency)
      group by status, payment_method, rail, currency order by status, payment_method, rail, currency
      on conflict (status, payment_method, rail, currency) do update set count = kept.count + excluded.count;
    return null;
  end
  $$;
  create trigger counts_added after insert on transaction_counts
    referencing new table as added for each statement execute function counts_added();
  create trigger counts_changed after update on transaction_counts
    referencing old table as before new table as after for each statement execute function counts_changed();

  -- After the triggers: creating them locks the counts against writes until this transaction is committed.
  insert into transaction_counts_of_all
    select status, payment_method, rail, currency, sum(count) from transaction_counts
    group by status, payment_method, rail, currency;
  `,
)
