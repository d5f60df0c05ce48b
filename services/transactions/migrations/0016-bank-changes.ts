import { migration } from '@cobro/database'

/** Changes of a bank account that are on hold. */
export const bankChanges = migration(
  '0016-bank-changes',
  `
  alter table settlement_configs
    add column bank_pending jsonb,
    add column bank_requested_by text,
    add column bank_effective_at timestamptz(3);
  `,
)
