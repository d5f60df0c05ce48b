import { migrationInSteps } from '@cobro/database'

/** The addresses that accounts have logged in from, and an index to count an account's failures. */
export const knownAddresses = migrationInSteps('0007-known-addresses', [
  `create table known_addresses (
    account_hash text not null,
    address text not null,
    seen_at timestamptz not null default now(),
    primary key (account_hash, address)
  )`,
  'create index known_addresses_age on known_addresses (seen_at)',
  'drop index concurrently if exists login_failures_account',
  'create index concurrently login_failures_account on login_failures (account_hash, failed_at desc)',
])
