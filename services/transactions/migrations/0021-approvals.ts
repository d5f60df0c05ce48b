import { migration } from '@cobro/database'

/**
 * Calls of operators that wait for the approval of a second operator. What was called and by whom never changes, and no row is
 * deleted; `body` alone may lose what names a payer.
 */
export const approvals = migration(
  '0021-approvals',
  `
  create table approvals (
    id text primary key,
    merchant_id text not null,
    operation text not null,
    params jsonb not null,
    body jsonb,
    amount_cents bigint,
    currency text,
    status text not null check (status in ('pending', 'approved', 'rejected', 'lapsed')),
    requested_by text not null,
    created_at timestamptz(3) not null,
    lapses_at timestamptz(3) not null,
    decided_by text,
    decided_at timestamptz(3),
    reason text,
    target_id text,
    constraint approvals_decided check ((status = 'pending') = (decided_at is null)),
    constraint approvals_approver check (decided_by <> requested_by)
  );
  create index approvals_newest on approvals (merchant_id, created_at desc, id desc);
  create index approvals_of_all on approvals (created_at desc, id desc);
  create index approvals_pending on approvals (lapses_at) where status = 'pending';
  create index approvals_target on approvals (target_id) where target_id is not null;
  create index approvals_of_object on approvals ((params ->> 'id')) where params ->> 'id' is not null;
  create index approvals_payer_email on approvals (lower(body ->> 'payer_email')) where body ->> 'payer_email' is not null;

  revoke update, delete, truncate on approvals from cobro_transactions;
  grant update (status, decided_by, decided_at, reason, target_id, body) on approvals to cobro_transactions;
  `,
)
