import { migration } from '@cobro/database'

/**
 * Shows on a payment that a person has to transfer its refund. The trigger keeps it while the release before still runs, which
 * does not know the column.
 */
export const manualRefunds = migration(
  '0024-manual-refunds',
  `
  alter table transactions add column manual_refund boolean not null default false;
  create function keep_manual_refund() returns trigger language plpgsql as $$
  begin
    update transactions.transactions set manual_refund = new.by_hand where id = new.transaction_id;
    return null;
  end
  $$;
  create trigger keep_manual_refund after update on refunds for each row
    when (old.by_hand <> new.by_hand) execute function keep_manual_refund();

  -- After the trigger: creating it locks the table against writes until this transaction is committed.
  update transactions set manual_refund = true where id in (select transaction_id from refunds where by_hand);
  grant select (manual_refund) on transactions to cobro_operator;
  `,
)
