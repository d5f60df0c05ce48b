import { checkoutTables } from './0001-checkout.ts'

/** The history of the schema, oldest first. */
export const migrations = [checkoutTables]
