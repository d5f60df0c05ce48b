import { migration } from '@cobro/database'

/**
 * Sums the changes of many counts in one pass. The join of old and new rows was planned for a few
 * rows and the plan reused: with ten thousand rows it compared each with each and exceeded the statement timeout.
 */
export const countsInOnePass = migration(
  '0015-counts-in-one-pass',
  `
  create or replace function counts_changed() returns trigger language plpgsql as $$
  begin
    insert into transactions.transaction_counts_of_all as kept
      select status, payment_method, rail, currency, sum(change) from (
        select status, payment_method, rail, currency, count as change from after
        union all select status, payment_method, rail, currency, -count from before
      ) as sides
      group by status, payment_method, rail, currency having sum(change) <> 0
      order by status, payment_method, rail, currency
      on conflict (status, payment_method, rail, currency) do update set count = kept.count + excluded.count;
    return null;
  end
  $$;
  `,
)
