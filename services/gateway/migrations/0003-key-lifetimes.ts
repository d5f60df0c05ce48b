import { migration } from '@cobro/database'

/** Allowed addresses and expiry of API keys, and the time from which a signing key signs. */
export const keyLifetimes = migration(
  '0003-key-lifetimes',
  `
  alter table api_keys
    add column allowed_ips text[] check (cardinality(allowed_ips) > 0),
    add column expires_at timestamptz(3);

  -- Published from the start, signs from then on. The default lets a gateway that is older by one release make its first key.
  alter table signing_keys add column signs_from timestamptz(3) not null default now();
  update signing_keys set signs_from = created_at;
  -- There is always one last key in the row of keys, and never two.
  create unique index signing_keys_last on signing_keys ((true)) where retired_at is null;
  `,
)
