import { auditEvents } from './0001-audit-events.ts'

/** The history of the schema, oldest first. */
export const migrations = [auditEvents]
