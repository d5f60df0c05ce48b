import { migration } from '@cobro/database'

/** Whether payers of a merchant get receipts by mail. The default is for rows that the release before inserts meanwhile. */
export const payerReceipts = migration(
  '0014-payer-receipts',
  'alter table merchants add column payer_receipts boolean not null default false;',
)
