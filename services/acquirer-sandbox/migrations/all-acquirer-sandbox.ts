import { acquirerSandboxTables } from './0001-acquirer-sandbox.ts'

/** The history of the schema, oldest first. */
export const migrations = [acquirerSandboxTables]
