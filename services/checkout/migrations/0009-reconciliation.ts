import { migration, reconciliationTable } from '@cobro/database'

/** When sessions and links are compared with payments, and what the newest check found. */
export const reconciliation = migration('0009-reconciliation', reconciliationTable)
