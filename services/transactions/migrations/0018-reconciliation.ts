import { migration, reconciliationTable } from '@cobro/database'

/** When captures are compared with the ledger, and what the newest check found; operators compare them too. */
export const reconciliation = migration(
  '0018-reconciliation',
  `
  ${reconciliationTable}
  grant select (fee_cents, refunded_at) on transactions to cobro_operator;
  `,
)
