import { idempotencyTable, migration } from '@cobro/database'

/** Stored responses of calls with an Idempotency-Key. */
export const gatewayKeys = migration('0002-gateway-idempotency', idempotencyTable)
