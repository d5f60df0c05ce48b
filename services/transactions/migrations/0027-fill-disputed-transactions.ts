import { migrationInSteps } from '@cobro/database'

/**
 * Fills when payments were disputed, of those that were disputed before the triggers were there, and adds the indexes of lists by
 * that time: of one merchant, and of all. A time that a trigger has set meanwhile stays.
 *
 * Five hundred payments at a time, in the order in which erasures lock them, so that the two cannot deadlock. The time is read
 * by a statement after the one that locks: a dispute that is withdrawn while the lock is waited for no longer counts.
 */
export const fillDisputedTransactions = migrationInSteps('0027-fill-disputed-transactions', [
  `do $$
  declare
    done text := '';
    batch text[];
  begin
    loop
      batch := array(
        select id from transactions
        where id > done and disputed_at is null
          and exists (select from disputes where transaction_id = transactions.id and deleted_at is null)
        order by id limit 500 for update
      );
      exit when batch = '{}';
      update transactions
      set disputed_at = (select max(opened_at) from disputes where transaction_id = transactions.id and deleted_at is null)
      where id = any(batch);
      done := batch[cardinality(batch)];
      commit;
    end loop;
  end
  $$`,
  ...Object.entries({
    disputed: '(merchant_id, disputed_at, id) where disputed_at is not null',
    all_disputed: '(greatest(disputed_at), id) where disputed_at is not null',
  }).flatMap(([name, definition]) => [
    `drop index concurrently if exists transactions_${name}`,
    `create index concurrently transactions_${name} on transactions ${definition} and deleted_at is null`,
  ]),
])
