import { transactionOperations } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import type { Logger } from '@cobro/runtime'
import { refundTransaction } from './refund-transaction.ts'

export function refundRoutes(deps: { db: Database; logger: Logger }): Route[] {
  return [
    route(transactionOperations.refund, async ({ caller, params }) => {
      return { data: await refundTransaction(deps, caller, params.id) }
    }),
  ]
}
