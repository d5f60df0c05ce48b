import { migration } from '@cobro/database'

/** The key under which card numbers get their fingerprints. It never changes, because fingerprints would change with it. */
export const fingerprintKey = migration(
  '0004-fingerprint-key',
  `
  create table fingerprint_key (
    single boolean primary key default true check (single),
    key_sealed text not null
  );
  `,
)
