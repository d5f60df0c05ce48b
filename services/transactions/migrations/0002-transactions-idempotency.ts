import { idempotencyTable, migration } from '@cobro/database'

/** Stored responses of requests with an Idempotency-Key. */
export const transactionKeys = migration('0002-transactions-idempotency', idempotencyTable)
