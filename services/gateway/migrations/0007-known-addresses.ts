import { migration } from '@cobro/database'

/** The addresses that accounts have logged in from. Accounts are hashed, as in `login_failures`. */
export const knownAddresses = migration(
  '0007-known-addresses',
  `
  create table known_addresses (
    account_hash text not null,
    address text not null,
    seen_at timestamptz not null default now(),
    primary key (account_hash, address)
  );
  create index known_addresses_age on known_addresses (seen_at);
  `,
)
