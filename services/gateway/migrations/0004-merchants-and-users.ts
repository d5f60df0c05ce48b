import { migration } from '@cobro/database'

/** Columns for deleting merchants and for setup tokens, which are stored as hashes. */
export const merchantsAndUsers = migration(
  '0004-merchants-and-users',
  `
  -- A deleted merchant's row stays: what it was paid, here or in other services, goes on naming it.
  alter table merchants
    add column deleted_at timestamptz(3),
    add check (deleted_at is null or status = 'disabled');

  alter table users
    add column setup_token_hash text constraint users_setup_token unique,
    add column setup_expires_at timestamptz(3),
    add check ((setup_token_hash is null) = (setup_expires_at is null));
  create index users_newest on users (created_at desc, id desc);
  `,
)
