import { migration } from '@cobro/database'

/** Lets operators distinguish late payments, which are refunded, from those that complete a session or link. */
export const latePaymentsForOperators = migration(
  '0017-late-payments-for-operators',
  'grant select (late_payment_of) on transactions to cobro_operator;',
)
