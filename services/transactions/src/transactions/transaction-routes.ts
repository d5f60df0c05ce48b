import { transactionOperations } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { editTransaction } from './edit-transaction.ts'
import { getTransaction } from './get-transaction.ts'
import { searchTransactions } from './transaction-search.ts'

export function transactionRoutes({ db }: { db: Database }): Route[] {
  return [
    route(transactionOperations.list, ({ caller, query }) => searchTransactions(db, caller, query)),
    route(transactionOperations.read, async ({ caller, params }) => {
      return { data: await getTransaction(db, caller, params.id) }
    }),
    route(transactionOperations.update, async ({ caller, params, body }) => {
      return { data: await editTransaction(db, caller, params.id, body) }
    }),
  ]
}
