// Generated from the files of this folder by npm run generate. Do not edit.
import { checkoutTables } from './0001-checkout.ts'
import { checkoutKeys } from './0002-checkout-idempotency.ts'
import { paymentLinks } from './0003-payment-links.ts'
import { cash } from './0004-cash.ts'
import { refunds } from './0005-refunds.ts'
import { openingTraces } from './0006-opening-traces.ts'
import { checkoutForOperators } from './0007-checkout-for-operators.ts'

/** The history of the schema, oldest first. */
export const migrations = [
  checkoutTables,
  checkoutKeys,
  paymentLinks,
  cash,
  refunds,
  openingTraces,
  checkoutForOperators,
]
