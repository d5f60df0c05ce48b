import { migrationInSteps } from '@cobro/database'

/** The index by which the transactions of one payer are found, of all merchants and however the address is written. */
export const payerEmailsOfAll = migrationInSteps('0020-payer-emails-of-all', [
  'drop index concurrently if exists transactions_payer_of_all',
  `create index concurrently transactions_payer_of_all on transactions (lower(payer_email)) where payer_email is not null`,
])
