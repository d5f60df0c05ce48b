import { migration } from '@cobro/database'

/**
 * Keeps on a payment when its latest dispute was opened, for lists by that time. Triggers keep it, since the release before still
 * writes disputes.
 */
export const disputedTransactions = migration(
  '0026-disputed-transactions',
  `
  alter table transactions add column disputed_at timestamptz(3);
  grant select (disputed_at) on transactions to cobro_operator;
  create function keep_disputed_at() returns trigger language plpgsql as $$
  declare
    disputed text := coalesce(new.transaction_id, old.transaction_id);
  begin
    update transactions.transactions set disputed_at = (
      select max(opened_at) from transactions.disputes where transaction_id = disputed and deleted_at is null
    ) where id = disputed;
    return null;
  end
  $$;
  create trigger keep_disputed_at after insert or delete on disputes for each row execute function keep_disputed_at();
  create trigger keep_changed_disputed_at after update on disputes for each row
    when ((old.opened_at, old.deleted_at) is distinct from (new.opened_at, new.deleted_at))
    execute function keep_disputed_at();
  `,
)
