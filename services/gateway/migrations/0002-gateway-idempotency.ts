import { idempotencyTable, migration } from '@cobro/database'

/** Answers to calls with an Idempotency-Key. */
export const gatewayKeys = migration('0002-gateway-idempotency', idempotencyTable)
