// Generated from the files of this folder by npm run generate. Do not edit.
import { webhookTables } from './0001-webhooks.ts'
import { webhookKeys } from './0002-webhooks-idempotency.ts'
import { deliveriesByHand } from './0003-deliveries-by-hand.ts'
import { retention } from './0004-retention.ts'
import { sharesAndLists } from './0005-shares-and-lists.ts'
import { claims } from './0006-claims.ts'
import { requestIds } from './0007-request-ids.ts'
import { webhooksForOperators } from './0008-webhooks-for-operators.ts'

/** The history of the schema, oldest first. */
export const migrations = [
  webhookTables,
  webhookKeys,
  deliveriesByHand,
  retention,
  sharesAndLists,
  claims,
  requestIds,
  webhooksForOperators,
]
