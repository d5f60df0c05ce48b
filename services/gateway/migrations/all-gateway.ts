// Generated from the files of this folder by npm run generate. Do not edit.
import { gatewayTables } from './0001-gateway.ts'
import { gatewayKeys } from './0002-gateway-idempotency.ts'
import { keyLifetimes } from './0003-key-lifetimes.ts'
import { merchantsAndUsers } from './0004-merchants-and-users.ts'
import { gatewayForOperators } from './0005-gateway-for-operators.ts'

/** The history of the schema, oldest first. */
export const migrations = [gatewayTables, gatewayKeys, keyLifetimes, merchantsAndUsers, gatewayForOperators]
