import { idempotencyTable, migration } from '@cobro/database'

/** Answers to calls with an Idempotency-Key. */
export const transactionKeys = migration('0002-transactions-idempotency', idempotencyTable)
