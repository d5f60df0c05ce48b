import { transactionTables } from './0001-transactions.ts'

/** The history of the schema, oldest first. */
export const migrations = [transactionTables]
