import { idempotencyTable, migration } from '@cobro/database'

/** Stored responses to requests with an Idempotency-Key. */
export const webhookKeys = migration('0002-webhooks-idempotency', idempotencyTable)
