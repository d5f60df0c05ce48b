import { gatewayTables } from './0001-gateway.ts'

/** The history of the schema, oldest first. */
export const migrations = [gatewayTables]
