import { idempotencyTable, migration } from '@cobro/database'

/** Answers to calls with an Idempotency-Key. */
export const webhookKeys = migration('0002-webhooks-idempotency', idempotencyTable)
