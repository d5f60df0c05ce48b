import { webhookTables } from './0001-webhooks.ts'

/** The history of the schema, oldest first. */
export const migrations = [webhookTables]
