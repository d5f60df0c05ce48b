import { webhookTables } from './0001-webhooks.ts'
import { webhookKeys } from './0002-webhooks-idempotency.ts'

/** The history of the schema, oldest first. */
export const migrations = [webhookTables, webhookKeys]
