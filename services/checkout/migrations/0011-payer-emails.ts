import { migrationInSteps } from '@cobro/database'

/** The indexes by which the sessions, links and attempts of one payer are found, of all merchants and however the address is written. */
export const payerEmails = migrationInSteps('0011-payer-emails', [
  'drop index concurrently if exists checkout_sessions_payer',
  `create index concurrently checkout_sessions_payer on checkout_sessions (lower(customer_email)) where customer_email is not null`,
  'drop index concurrently if exists payment_links_payer',
  `create index concurrently payment_links_payer on payment_links (lower(payer_email)) where payer_email is not null`,
  'drop index concurrently if exists payment_attempts_payer',
  `create index concurrently payment_attempts_payer on payment_attempts (lower(payer_email)) where payer_email is not null`,
])
